export * from './gen/daycare/identity/v1/access_token';
export * from './gen/daycare/identity/v1/identity_service';
export * from './gen/daycare/identity/v1/session';
export * from './gen/daycare/identity/v1/token';
export * from './gen/daycare/identity/v1/user';
