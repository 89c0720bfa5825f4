import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Options } from './command-line-options.ts'
import { startFloor } from './provider-and-proxy-processes.ts'
import { burstStream, pacedStream, shortStream } from './cost-of-streams.ts'
import { heldStream } from './memory-per-open-stream.ts'
import type { TailSource } from './live-tail-cost.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'
import { startTollgate, type TollgateOptions } from './gateway-under-test.ts'
import { wireScenarios } from './cost-by-wire-format.ts'

/** A minimal proxy (the floor), a second minimal proxy, this gateway, or the gateway of another checkout. */
export interface Subject {
  readonly target: Target
  /** Null for a minimal proxy, which has no ledger. */
  readonly usage: (() => Promise<{ calls: number; billedMicros: string }>) | null
  /** Null for a minimal proxy. */
  readonly tail: TailSource | null
  restart(changed?: Pick<TollgateOptions, 'isWarmedUp'>): Promise<Restarted>
  stop(): Promise<void>
}

interface Restarted {
  readonly target: Target
  /** From the start of the process until it was ready. */
  readonly startMs: number
}

interface Start {
  readonly options: Options
  readonly people: number
  readonly providerUrl: string
  readonly folder: string
}

/** The measurement of this server is the numerator of every ratio. */
export function startSubject(start: Start): Promise<Subject> {
  return start.options.isFloorOnly
    ? floor('second-floor', start.providerUrl, start.folder)
    : gateway(start, { folder: start.folder })
}

/** The measurement of this server is the denominator of every ratio. */
export function startReference(start: Start): Promise<Subject> {
  const { against } = start.options
  if (against === null) return floor('floor', start.providerUrl, start.folder)
  const folder = join(start.folder, 'reference')
  mkdirSync(folder)
  return gateway(start, { folder, root: against })
}

async function gateway(
  { options, people, providerUrl }: Start,
  place: Pick<TollgateOptions, 'folder' | 'root'>,
): Promise<Subject> {
  const scenarios = [
    jsonCall,
    pacedStream,
    burstStream,
    shortStream,
    heldStream,
    ...(options.steps.has('wires') ? wireScenarios : []),
  ]
  const first = await startTollgate({ ...place, providerUrl, people, scenarios, writer: options.writer })
  let current = first
  return {
    target: first.target,
    usage: () => first.usage(),
    tail: first.tail,
    async restart(changed) {
      current = await current.restart(changed)
      return { target: current.target, startMs: current.child.startMs }
    },
    stop: () => current.child.stop(),
  }
}

async function floor(name: string, providerUrl: string, folder: string): Promise<Subject> {
  const start = () => startFloor(name, providerUrl, folder)
  let current = await start()
  return {
    target: current.target,
    usage: null,
    tail: null,
    async restart() {
      await current.child.stop()
      current = await start()
      return { target: current.target, startMs: current.child.startMs }
    },
    stop: () => current.child.stop(),
  }
}
