import assert from 'node:assert/strict'
import type { BillInput, LateCalls } from '#money/organization-bill.ts'
import type { TierStep } from '#money/organization-tier-by-day.ts'

/** The JSON contains only strings and counts. */
export function billInputToText({ late, month, seats, steps, table }: BillInput): string {
  return JSON.stringify({ month, table, steps, seats, late })
}

/** Reading is strict: any other text means that the store is corrupt. */
export function billInputFromText(text: string): BillInput {
  const { late, month, seats, steps, table } = recordOf(JSON.parse(text))
  return {
    month: textOf(month),
    table: textOf(table),
    steps: listOf(steps).map(stepOf),
    seats: countOf(seats),
    late: listOf(late).map(lateOf),
  }
}

function lateOf(json: unknown): LateCalls {
  const { month, steps, table } = recordOf(json)
  return {
    month: textOf(month),
    table: textOf(table),
    steps: listOf(steps).map((step) => ({ ...stepOf(step), more: countOf(recordOf(step)['more']) })),
  }
}

function stepOf(json: unknown): TierStep {
  const { calls, day, tier } = recordOf(json)
  return { tier: textOf(tier), day: countOf(day), calls: countOf(calls) }
}

function recordOf(json: unknown): Readonly<Record<string, unknown>> {
  assert(typeof json === 'object' && json !== null, 'a part of a bill’s input is a record')
  return { ...json }
}

function listOf(json: unknown): readonly unknown[] {
  assert(Array.isArray(json), 'the steps and late calls of a bill are lists')
  return json
}

function textOf(json: unknown): string {
  assert(typeof json === 'string', 'months, tables and tiers of a bill are texts')
  return json
}

function countOf(json: unknown): number {
  assert(typeof json === 'number' && Number.isSafeInteger(json) && json >= 0, 'a bill counts whole things')
  return json
}
