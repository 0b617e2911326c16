export * from './gen/daycare/topology/v1/channel';
export * from './gen/daycare/topology/v1/endpoint';
export * from './gen/daycare/topology/v1/signal';
export * from './gen/daycare/topology/v1/topology';
export * from './gen/daycare/topology/v1/topology_service';
