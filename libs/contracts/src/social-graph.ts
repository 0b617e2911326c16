export * from './gen/daycare/social_graph/v1/delivery';
export * from './gen/daycare/social_graph/v1/friend';
export * from './gen/daycare/social_graph/v1/message';
export * from './gen/daycare/social_graph/v1/social_graph_service';
