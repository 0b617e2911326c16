export * from './gen/daycare/common/v1/service_status';
export * from './gen/daycare/common/v1/system_message';
