/**
 * The column `attempts` of calls in flight, usage records and requests. Few calls have failed attempts, so each failed
 * attempt is stored as a JSON object with field names.
 */
import assert from 'node:assert/strict'
import type { FailedAttempt, Target } from '#domain/ledger-interface.ts'
import { providerCost } from '#money/cost.ts'
import type { Usage } from '#money/usage-counts.ts'
import { usageFromText, usageToText } from './json-columns.ts'

export interface StoredAttempt extends Omit<FailedAttempt, 'quote'> {
  /** The provider's charge in micros. Never charged to an end user. */
  readonly costMicros: bigint
  /** The part of the cost at assumed rates. 0n for attempts that older versions stored. */
  readonly assumedMicros: bigint
  readonly quoteId: string
}

export interface Attempts {
  readonly text: string
  readonly costMicros: bigint
  readonly assumedMicros: bigint
}

export function attemptsOf(attempts: readonly FailedAttempt[] | undefined): Attempts | null {
  if (attempts === undefined || attempts.length === 0) return null
  let costMicros = 0n
  let assumedMicros = 0n
  const parts = attempts.map(({ quote, target, usage, ...rest }) => {
    // Use the amount that the provider charges for the attempt, computed with the price of its target.
    const { amount, assumed } = usage === null ? noCost : providerCost(usage, quote)
    costMicros += amount
    assumedMicros += assumed
    const text = JSON.stringify({
      ...target,
      ...rest,
      costMicros: String(amount),
      ...(assumed > 0n && { assumedMicros: String(assumed) }),
      quoteId: quote.id,
    })
    return usage === null ? text : `${text.slice(0, -1)},"usage":${usageToText(usage)}}`
  })
  return { text: `[${parts.join(',')}]`, costMicros, assumedMicros }
}

export function joinedAttempts(earlier: Attempts | null, later: Attempts | null): Attempts | null {
  if (earlier === null || later === null) return earlier ?? later
  return {
    text: `${earlier.text.slice(0, -1)},${later.text.slice(1)}`,
    costMicros: earlier.costMicros + later.costMicros,
    assumedMicros: earlier.assumedMicros + later.assumedMicros,
  }
}

const noCost = { amount: 0n, assumed: 0n }

export function attemptsFromText(text: string | null): StoredAttempt[] {
  if (text === null) return []
  const list: unknown = JSON.parse(text)
  assert(Array.isArray(list), 'attempts are a list')
  return list.map(attemptFrom)
}

function attemptFrom(json: unknown): StoredAttempt {
  assert(typeof json === 'object' && json !== null, 'an attempt is a record')
  const field = (name: string): unknown => Reflect.get(json, name)
  const text = (name: string): string => {
    const value = field(name)
    assert(typeof value === 'string', `${name} of an attempt is a text`)
    return value
  }
  const number = (name: string): number => {
    const value = field(name)
    assert(typeof value === 'number', `${name} of an attempt is a number`)
    return value
  }
  const target: Target = {
    accountId: text('accountId'),
    provider: text('provider'),
    model: text('model'),
  }
  return {
    target,
    status: field('status') === null ? null : number('status'),
    failure: field('failure') === null ? null : text('failure'),
    code: text('code'),
    atMs: number('atMs'),
    durationMs: number('durationMs'),
    firstByteMs: field('firstByteMs') === null ? null : number('firstByteMs'),
    usage: usageIn(field('usage')),
    costMicros: BigInt(text('costMicros')),
    assumedMicros: field('assumedMicros') === undefined ? 0n : BigInt(text('assumedMicros')),
    quoteId: text('quoteId'),
  }
}

function usageIn(json: unknown): Usage | null {
  return json === undefined ? null : usageFromText(JSON.stringify(json))
}
