import { isLoopback, type Surface } from '#domain/network/surface-selected-by-host.ts'
import type { ApplicationHost } from '#domain/gateway-directory-interface.ts'
import type { ApplicationUrls } from '#operations/kernel/dependencies-of-operations.ts'
import type { Config } from './server-configuration.ts'

export interface Addresses {
  readonly baseUrl: string
  urlsOf(application: ApplicationAddress): ApplicationUrls
  gatewayOf(slug: string): string
  portalOf(slug: string): string
  /**
   * Whether hosts of applications end in `.localhost`, which some resolvers do not know. Every application then gets
   * its own loopback ports.
   */
  readonly isLocal: boolean
  /** In local mode, clients reach the control plane at these ports. Otherwise empty. */
  readonly ports: readonly number[]
  readonly consoleOrigins: ReadonlySet<string>
  /** Origins of all gateways, as source expressions of a content security policy (CSP 3, 2.3.1). */
  readonly gatewayOrigins: readonly string[]
}

type ApplicationAddress = Pick<ApplicationHost, 'slug' | 'gatewayPort' | 'portalPort'>

/** In local mode, the control plane also accepts these hosts. */
const localNames = ['localhost', '127.0.0.1', '[::1]']

/** Port of the default addresses. */
const defaultPort = 8080

/**
 * In local mode, the default port in an address is replaced with the port at which clients reach the server. This port
 * is the port of the base URL if the operator has set another port there, for example the published port of a
 * container.
 * @param port the port on which the server listens
 */
export function addressesOf(config: Config, port: number): Addresses {
  const isLocal = new URL(config.gatewayUrl.replace('{slug}', 'a')).hostname.endsWith('.localhost')
  const published = publishedPort(config) ?? port
  const withPort = (text: string): string =>
    isLocal && text.endsWith(`:${defaultPort}`) ? text.replace(/\d+$/, String(published)) : text
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
    gatewayOf: gatewayUrl,
    portalOf: portalUrl,
    isLocal,
    ports: isLocal ? [...new Set([port, published])] : [],
    consoleOrigins: new Set([
      new URL(baseUrl).origin,
      ...(isLocal ? localNames.flatMap((name) => [port, published].map((at) => `http://${name}:${at}`)) : []),
    ]),
    gatewayOrigins: [
      // In a content security policy, a wildcard can only replace whole labels at the beginning of a host, so it
      // replaces the slug together with any text before the slug.
      withPort(config.gatewayUrl).replace(/(?<=:\/\/)[^:]*\{slug\}[^.:]*/, '*'),
      // A browser that cannot resolve `*.localhost` uses the application's loopback port.
      ...(isLocal ? ['http://127.0.0.1:*'] : []),
    ],
  }
}

/** Null if the base URL has no other port than the default port. */
function publishedPort({ baseUrl }: Config): number | null {
  const { hostname, port } = new URL(baseUrl)
  return isLoopback(hostname) && port !== '' && Number(port) !== defaultPort ? Number(port) : null
}

export function surfacesOf(
  addresses: Addresses,
  port: number,
  applications: readonly ApplicationHost[],
): Map<string, Surface> {
  const surfaces = new Map<string, Surface>()
  const control: Surface = { kind: 'control' }
  surfaces.set(authorityOf(addresses.baseUrl), control)
  for (const at of addresses.ports) for (const name of localNames) surfaces.set(`${name}:${at}`, control)
  for (const application of applications) {
    const { applicationId, gatewayPort, portalPort } = application
    const urls = addresses.urlsOf(application)
    const gateway: Surface = { kind: 'gateway', applicationId }
    const portal: Surface = { kind: 'portal', applicationId }
    surfaces.set(authorityOf(urls.gateway), gateway)
    surfaces.set(authorityOf(urls.portal), portal)
    // If the control plane listens on a port that an application used before, the control plane keeps the port.
    for (const name of ['localhost', '127.0.0.1']) {
      if (gatewayPort !== null && gatewayPort !== port) surfaces.set(`${name}:${gatewayPort}`, gateway)
      if (portalPort !== null && portalPort !== port) surfaces.set(`${name}:${portalPort}`, portal)
    }
  }
  return surfaces
}

/** The key in the host table: the host name and, for a loopback host, also the port. */
function authorityOf(url: string): string {
  const { hostname, port, protocol } = new URL(url)
  return isLoopback(hostname) ? `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}` : hostname
}
