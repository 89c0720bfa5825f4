import { describe, expect, it } from 'vitest'
import { ConfigFaults, readConfig } from './config.ts'

describe('the configuration of a process', () => {
  it('trusts no proxy until it is told of some', () => {
    expect(readConfig({}).trustedProxies).toBeNull()
    const listed = readConfig({ TOLLGATE_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32,192.0.2.1' })
    expect(listed.trustedProxies).toEqual(['10.0.0.0/8', '2001:db8::/32', '192.0.2.1'])
  })

  it('lists every range that is none', () => {
    const read = (): unknown => readConfig({ TOLLGATE_TRUSTED_PROXIES: '10.0.0.1/8,,proxy.internal' })
    expect(read).toThrow(ConfigFaults)
    expect(read).toThrow(
      /10\.0\.0\.1\/8 must have no bits set.*\n.*\(empty\) must be.*\n.*proxy\.internal must be/,
    )
  })
})
