import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Options } from './options.ts'
import { startFloor } from './stand-ins.ts'
import { burstStream, pacedStream, shortStream } from './streams.ts'
import { heldStream } from './memory.ts'
import type { TailSource } from './tail.ts'
import { jsonCall, type Target } from './target.ts'
import { startTollgate, type TollgateOptions } from './tollgate.ts'
import { wireScenarios } from './wire-figures.ts'

/** A server that is measured: the floor, a second floor, this gateway or that of another checkout. */
export interface Subject {
  readonly target: Target
  /** Calls on the books; null for a floor, which has none. */
  readonly usage: (() => Promise<{ calls: number; billedMicros: string }>) | null
  /** Where its calls can be watched; null for a floor. */
  readonly tail: TailSource | null
  /** Starts a fresh process on the same data. */
  restart(): Promise<Target>
  /** Ends the running process. */
  stop(): Promise<void>
}

interface Start {
  readonly options: Options
  readonly people: number
  readonly providerUrl: string
  readonly folder: string
}

/** The left side of every ratio. */
export function startSubject(start: Start): Promise<Subject> {
  return start.options.isFloorOnly
    ? floor('second-floor', start.providerUrl, start.folder)
    : gateway(start, { folder: start.folder })
}

/** The right side of every ratio. */
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
    async restart() {
      current = await current.restart()
      return current.target
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
      return current.target
    },
    stop: () => current.child.stop(),
  }
}
