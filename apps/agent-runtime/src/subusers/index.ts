export type { SubuserUsecases } from './build';
export type { NamesOfSubusers } from './usecases/ensure-gateways';
export type { ListedSubuser } from './usecases/list-subusers';
export type { Subuser, Subusers } from './usecases/subuser-directory';
