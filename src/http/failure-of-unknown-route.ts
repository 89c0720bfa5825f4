import { Failure } from '#domain/errors.ts'
import { isGatewayPath } from '#gateway/arrive/find-route-of-path.ts'
import { controlPlane } from './authenticate-caller.ts'
import { invalidRequest } from './error-for-invalid-input.ts'
import type { Route } from './route-table.ts'

/** @param gateway the address of the gateways; null on the host of a portal */
export function routeFailure(
  route: Exclude<Route, { kind: 'found' }>,
  { headers, method }: Request,
  path: string,
  gateway: (() => string) | null,
): Failure {
  if (route.kind === 'other_method') {
    return new Failure('method_not_allowed', { method, allowed: route.allowed.join(', ') })
  }
  if (route.kind === 'malformed') {
    const { parameter } = route
    return invalidRequest(`${parameter} is not percent-encoded UTF-8.`, parameter)
  }
  if (gateway === null) {
    const hint = 'This host is the portal of an application and serves only portal operations.'
    return new Failure('no_such_path', { method, path: path.slice(0, 256), hint })
  }
  const isCall =
    isGatewayPath(path) || (headers.get('authorization') ?? '').toLowerCase().startsWith('bearer ak_')
  const link = linkTakers.get(path)
  const hint = isCall
    ? controlPlane(gateway())
    : link === undefined
      ? 'See /v1/openapi.json for all operations.'
      : `This server has no page for this link. Send the part of the link after # to ${link} (docs/guides/team.md).`
  return new Failure('no_such_path', { method, path: path.slice(0, 256), hint })
}

/** Maps the path of a link that people receive to the API call that accepts the link's secret. */
const linkTakers: ReadonlyMap<string, string> = new Map([
  ['/setup', 'POST /v1/invitations/accept'],
  ['/invite', 'POST /v1/invitations/accept'],
])
