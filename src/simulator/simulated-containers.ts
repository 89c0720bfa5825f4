import type { ContainerRequest } from '#domain/provider-upstream-interface.ts'

/** Null for a file, because the simulator runs no code and no container has files. */
export function containerAnswer(
  { createdSeconds }: { readonly createdSeconds: number },
  { id, method, part }: ContainerRequest,
): object | null {
  if (part === '/files') return { object: 'list', data: [], first_id: null, last_id: null, has_more: false }
  if (part !== '') return null
  return method === 'DELETE'
    ? { id, object: 'container.deleted', deleted: true }
    : { id, object: 'container', created_at: createdSeconds, status: 'running', name: 'auto' }
}
