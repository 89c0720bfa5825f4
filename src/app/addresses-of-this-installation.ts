import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { HostTable } from '#domain/network/surface-selected-by-host.ts'

export interface OwnAddressParts {
  readonly hosts: HostTable
  readonly ports: { has(port: number): boolean }
}

/** Whether a URL names one of this server's hosts, or an address and port on which this server listens. */
export function isOwnUrl(url: string, { hosts, ports }: OwnAddressParts): boolean {
  const parsed = URL.parse(url)
  if (parsed === null) return false
  const { hostname, protocol } = parsed
  const port = parsed.port || (protocol === 'https:' ? '443' : '80')
  if (typeof hosts.find(`${hostname}:${port}`) !== 'string') return true
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isOwnPeer(literal, Number(port), ports)
}

/** Checks the port first, because listing the interfaces of the machine takes a system call. */
export function isOwnPeer(address: string, port: number, ports: OwnAddressParts['ports']): boolean {
  if (!ports.has(port) || isIP(address) === 0) return false
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '')
  if (plain === '::1' || plain.startsWith('127.')) return true
  return Object.values(networkInterfaces()).some((each) => each?.some((own) => own.address === plain))
}
