import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

export const usageText = `npm run bench [-- options]: the figures of the gateway against the floor, as one JSON document.

  --quick                 a short run: every step, one round, small windows; the figures mean little
  --floor-only            compare the floor with a second floor: every ratio must come out near 1
  --against <checkout>    compare with the gateway of another checkout of this repository instead of the floor:
                          what a change costs, in the same rounds; a ratio of 1.05 is 5 % dearer
  --writer inline|thread  where the gateway's ledger writes (TOLLGATE_WRITER); default: its own choice, which may
                          change while the run goes on
  --data <folder>         where the gateway's data goes, on the disk to be measured; default: a temporary folder
  --only <step>           only this step, may be repeated: calls, saturation, routers, limits, streams,
                          first-byte, wires, memory, starts, engines, tail, overload, growth,
                          scale (only if it is named, because it needs Citus)
  --growth-rows <n>       calls that the step growth fills its store with; default: 1000000
  --filled <folder>       in the step growth, a data folder that \`npm run seed\` has filled, which the run changes;
                          default: a store that the run fills
  --engine <engine>       in the step engines only this one: embedded or postgres; default: both
  --profile call|stream   no figures: where the gateway's CPU goes under 32 connections or 50 streams
  --no-write              print only; otherwise bench/results/<date>.json is written by a full run
  --help                  this text
`

const steps = [
  'calls',
  'saturation',
  'routers',
  'limits',
  'streams',
  'first-byte',
  'wires',
  'memory',
  'starts',
  'engines',
  'tail',
  'overload',
  'growth',
  'scale',
] as const
type Step = (typeof steps)[number]

export interface Options {
  readonly isQuick: boolean
  readonly isFloorOnly: boolean
  /** Root folder of another checkout, whose gateway replaces the minimal proxy. */
  readonly against: string | null
  readonly steps: ReadonlySet<Step>
  readonly writer: 'inline' | 'thread' | null
  readonly engine: 'embedded' | 'postgres' | null
  readonly dataFolder: string | null
  /** Null means the number in the plan. */
  readonly growthRows: number | null
  readonly filledStore: string | null
  readonly profile: 'call' | 'stream' | null
  readonly writesResult: boolean
  readonly wantsHelp: boolean
}

/** @throws an error with a sentence for the user */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      'floor-only': { type: 'boolean', default: false },
      against: { type: 'string' },
      writer: { type: 'string' },
      data: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      engine: { type: 'string' },
      'growth-rows': { type: 'string' },
      filled: { type: 'string' },
      profile: { type: 'string' },
      write: { type: 'boolean', default: true },
      help: { type: 'boolean', default: false },
    },
    allowNegative: true,
  })
  const { quick: isQuick, 'floor-only': isFloorOnly, only } = values
  const profile = oneOf('--profile', values.profile, ['call', 'stream'])
  const against = values.against === undefined ? null : resolve(values.against)
  if (against !== null && isFloorOnly) throw new Error('--against and --floor-only exclude each other')
  if (against !== null && !existsSync(join(against, 'bin', 'tollgate')))
    throw new Error(`--against: ${against} is no checkout of this repository (it has no bin/tollgate)`)
  const isWhole =
    !isQuick &&
    !isFloorOnly &&
    against === null &&
    only.length === 0 &&
    profile === null &&
    values.engine === undefined &&
    values['growth-rows'] === undefined &&
    values.filled === undefined
  return {
    isQuick,
    isFloorOnly,
    against,
    steps: new Set(
      only.length === 0
        ? steps.filter((step) => step !== 'scale')
        : only.flatMap((step) => oneOf('--only', step, steps) ?? []),
    ),
    writer: oneOf('--writer', values.writer, ['inline', 'thread']),
    engine: oneOf('--engine', values.engine, ['embedded', 'postgres']),
    dataFolder: values.data ?? null,
    growthRows: values['growth-rows'] === undefined ? null : Number(values['growth-rows']),
    filledStore: values.filled ?? null,
    profile,
    // Only a complete run may replace the day's file of results.
    writesResult: values.write && isWhole,
    wantsHelp: values.help,
  }
}

function oneOf<T extends string>(name: string, value: string | undefined, known: readonly T[]): T | null {
  if (value === undefined) return null
  const found = known.find((one) => one === value)
  if (found === undefined) throw new Error(`${name} is one of ${known.join(', ')}, not "${value}"`)
  return found
}
