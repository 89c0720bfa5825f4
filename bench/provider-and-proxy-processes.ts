import { join } from 'node:path'
import { startChild, textAt, type Child } from './start-child-process.ts'
import type { Target } from './targets-and-scenarios.ts'

export interface StandIn {
  readonly child: Child
  readonly target: Target
}

/** The keys have the length of a gateway key, so that requests to all targets have the same size. */
const unusedKeys = Array.from({ length: 8 }, (_, i) => `ak_bench0_${String(i).padStart(36, '0')}`)

export async function startProvider(folder: string): Promise<StandIn> {
  return startStandIn({ name: 'direct', file: 'fake-provider.ts', args: [], folder, isMeasured: false })
}

/** @param name distinguishes the two minimal proxies when the proxy is compared with itself */
export async function startFloor(
  name: string,
  providerUrl: string,
  folder: string,
  execArgv: readonly string[] = [],
): Promise<StandIn> {
  return startStandIn({
    name,
    file: 'minimal-http-proxy.ts',
    args: [providerUrl],
    folder,
    isMeasured: true,
    execArgv,
  })
}

export async function startNetFloor(providerUrl: string, folder: string): Promise<StandIn> {
  return startStandIn({
    name: 'floor on node:net',
    file: 'minimal-net-proxy.ts',
    args: [providerUrl],
    folder,
    isMeasured: true,
  })
}

async function startStandIn({
  name,
  file,
  args,
  folder,
  isMeasured,
  execArgv = [],
}: {
  name: string
  file: string
  args: readonly string[]
  folder: string
  isMeasured: boolean
  execArgv?: readonly string[]
}): Promise<StandIn> {
  const child = await startChild({
    command: process.execPath,
    args: [...execArgv, join(import.meta.dirname, file), ...args],
    env: process.env,
    logPath: join(folder, `${name}.log`),
  })
  const target: Target = {
    name,
    url: textAt(child.greeting, 'url'),
    pid: isMeasured ? child.pid : null,
    keys: unusedKeys,
    modelName: (scenario) => scenario.upstreamModel,
    isGateway: false,
    answered: { calls: 0 },
  }
  return { child, target }
}

/** Counted since the provider started. */
export interface ProviderCounts {
  readonly calls: number
  readonly events: number
  readonly streamsOpen: number
}

export async function providerCounts(providerUrl: string): Promise<ProviderCounts> {
  const value: unknown = await (await fetch(`${providerUrl}/counts`)).json()
  const count = (name: string) => {
    const number: unknown = typeof value === 'object' && value !== null && Reflect.get(value, name)
    if (typeof number !== 'number') throw new Error(`the provider's counts have no ${name}`)
    return number
  }
  return { calls: count('calls'), events: count('events'), streamsOpen: count('streamsOpen') }
}
