export * from './gen/daycare/common/v1/system_message';
