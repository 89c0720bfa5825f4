import type { Options } from './options.ts'
import { startFloor } from './stand-ins.ts'
import { burstStream, pacedStream, shortStream } from './streams.ts'
import { heldStream } from './memory.ts'
import { jsonCall } from './target.ts'
import type { Target } from './target.ts'
import { startTollgate } from './tollgate.ts'
import { wireScenarios } from './wire-figures.ts'

/** What is compared with the floor: the gateway, or a second floor to see what the bench itself adds. */
export interface Subject {
  readonly target: Target
  /** Calls on the books; null for a second floor, which has none. */
  readonly usage: (() => Promise<{ calls: number; billedMicros: string }>) | null
  /** The same data under a process that has done nothing yet. */
  restart(): Promise<Target>
  /** Ends the process that is running now. */
  stop(): Promise<void>
}

export async function startSubject({
  options,
  people,
  providerUrl,
  folder,
}: {
  options: Options
  people: number
  providerUrl: string
  folder: string
}): Promise<Subject> {
  if (options.isFloorOnly) return secondFloor(providerUrl, folder)
  const scenarios = [
    jsonCall,
    pacedStream,
    burstStream,
    shortStream,
    heldStream,
    ...(options.steps.has('wires') ? wireScenarios : []),
  ]
  const first = await startTollgate({ folder, providerUrl, people, scenarios, writer: options.writer })
  let current = first
  return {
    target: first.target,
    usage: () => first.usage(),
    async restart() {
      current = await current.restart()
      return current.target
    },
    stop: () => current.child.stop(),
  }
}

async function secondFloor(providerUrl: string, folder: string): Promise<Subject> {
  const start = () => startFloor('second-floor', providerUrl, folder)
  let current = await start()
  return {
    target: current.target,
    usage: null,
    async restart() {
      await current.child.stop()
      current = await start()
      return current.target
    },
    stop: () => current.child.stop(),
  }
}
