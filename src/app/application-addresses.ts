import { isLoopback, type Surface } from '#domain/network/host-surfaces.ts'
import type { ApplicationHost } from '#domain/directory.ts'
import type { ApplicationUrls } from '#operations/ports.ts'
import type { Config } from './config.ts'

/**
 * Every address of this process. Printed addresses carry the port in use, which differs from the configured
 * one when that is 0.
 */
export interface Addresses {
  readonly baseUrl: string
  /** The addresses of an application, with its loopback ports if it has any. */
  urlsOf(application: ApplicationAddress): ApplicationUrls
  /** Where a person sees what they have and may spend. */
  portalOf(slug: string): string
  /** True when application hosts end in `.localhost`, which plain resolvers do not know: every
   * application then gets loopback ports of its own. */
  readonly isLocal: boolean
  /** Origins of the pages of the console, as browsers send them. */
  readonly consoleOrigins: ReadonlySet<string>
  /** Origins of all gateways, as a source expression of a content security policy (CSP 3, 2.3.1). */
  readonly gatewayOrigins: readonly string[]
}

type ApplicationAddress = Pick<ApplicationHost, 'slug' | 'gatewayPort' | 'portalPort'>

/** Besides the configured address, the control plane answers here in local mode. */
const localNames = ['localhost', '127.0.0.1', '[::1]']

export function addressesOf(config: Config, port: number): Addresses {
  const isLocal = new URL(config.gatewayUrl.replace('{slug}', 'a')).hostname.endsWith('.localhost')
  const withPort = (text: string): string => (isLocal ? text.replace(/:\d+$/, `:${port}`) : text)
  const gatewayUrl = (slug: string): string => withPort(config.gatewayUrl.replace('{slug}', slug))
  const portalUrl = (slug: string): string => withPort(config.portalUrl.replace('{slug}', slug))
  const baseUrl = isLoopback(new URL(config.baseUrl).hostname) ? withPort(config.baseUrl) : config.baseUrl
  return {
    baseUrl,
    urlsOf: ({ gatewayPort, portalPort, slug }) => ({
      gateway: gatewayUrl(slug),
      portal: portalUrl(slug),
      ...(isLocal && gatewayPort !== null && { localGateway: `http://127.0.0.1:${gatewayPort}` }),
      ...(isLocal && portalPort !== null && { localPortal: `http://127.0.0.1:${portalPort}` }),
    }),
    portalOf: portalUrl,
    isLocal,
    consoleOrigins: new Set([
      new URL(baseUrl).origin,
      ...(isLocal ? localNames.map((name) => `http://${name}:${port}`) : []),
    ]),
    gatewayOrigins: [
      // A policy knows a wildcard for whole labels at the left alone: what stands before the slug goes with it.
      withPort(config.gatewayUrl).replace(/(?<=:\/\/)[^:]*\{slug\}[^.:]*/, '*'),
      // A browser that does not know `*.localhost` calls an application's loopback port.
      ...(isLocal ? ['http://127.0.0.1:*'] : []),
    ],
  }
}

/** The exact hosts of the control plane and of every application, for `hostTable`. */
export function surfacesOf(
  addresses: Addresses,
  port: number,
  applications: readonly ApplicationHost[],
): Map<string, Surface> {
  const surfaces = new Map<string, Surface>()
  const control: Surface = { kind: 'control' }
  surfaces.set(authorityOf(addresses.baseUrl), control)
  if (addresses.isLocal) {
    for (const name of localNames) surfaces.set(`${name}:${port}`, control)
  }
  for (const application of applications) {
    const { applicationId, gatewayPort, portalPort } = application
    const urls = addresses.urlsOf(application)
    const gateway: Surface = { kind: 'gateway', applicationId }
    const portal: Surface = { kind: 'portal', applicationId }
    surfaces.set(authorityOf(urls.gateway), gateway)
    surfaces.set(authorityOf(urls.portal), portal)
    // A port that was an application's and is the process's own now is the control plane's.
    for (const name of ['localhost', '127.0.0.1']) {
      if (gatewayPort !== null && gatewayPort !== port) surfaces.set(`${name}:${gatewayPort}`, gateway)
      if (portalPort !== null && portalPort !== port) surfaces.set(`${name}:${portalPort}`, portal)
    }
  }
  return surfaces
}

/** The key of a host table: the name, for loopback with its port. */
function authorityOf(url: string): string {
  const { hostname, port, protocol } = new URL(url)
  return isLoopback(hostname) ? `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}` : hostname
}
