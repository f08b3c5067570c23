import { foldApi } from './fold.ts';
import { gatewayApi } from './gateway.ts';
import { hubApi } from './hub.ts';
import { libraryApi } from './library.ts';
import { memoryApi } from './memory.ts';
import { systemApi } from './system.ts';
import { transientApi } from './transient.ts';
import { webhooksApi } from './webhooks.ts';
import { windowApi } from './window.ts';
import { workspacesApi } from './workspaces.ts';

export * from './events.ts';
export * from './evidence.ts';
export * from './fold.ts';
export * from './gateway.ts';
export * from './hub.ts';
export * from './library.ts';
export * from './memory.ts';
export * from './openapi.ts';
export * from './shape.ts';
export * from './system.ts';
export * from './transient.ts';
export * from './webhooks.ts';
export * from './window.ts';
export * from './workspaces.ts';

/** Every action. The key is the name of the client's method, and the operation id in OpenAPI. */
export const API = {
  ...foldApi,
  ...gatewayApi,
  ...hubApi,
  ...libraryApi,
  ...memoryApi,
  ...systemApi,
  ...transientApi,
  ...webhooksApi,
  ...windowApi,
  ...workspacesApi,
};
