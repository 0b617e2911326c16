export * from './gen/google/protobuf/any';
export * from './gen/google/rpc/error_details';
export * from './gen/google/rpc/status';
