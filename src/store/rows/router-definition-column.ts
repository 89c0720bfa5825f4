/**
 * Targets refer to accounts by ID, so a new label of an account changes nothing. Fields that are not set are omitted.
 * Reading is strict: any other text means that the store is corrupt.
 */
import assert from 'node:assert/strict'
import { type AttemptRules, contextLengthRules } from '#domain/application-config.ts'
import type { RouterDefinition, RouterTargetRecord } from '#domain/router-records.ts'
import { deadlineNames, type Deadlines } from '#domain/calls/call-deadlines.ts'
import { type Condition, features, policies } from '#routing/route-tree-types.ts'

export function routerDefinitionToText({ attempts, policy, stickyBy, targets }: RouterDefinition): string {
  return JSON.stringify({ policy, stickyBy, targets, attempts })
}

export function routerDefinitionFromText(text: string): RouterDefinition {
  const json = recordOf(JSON.parse(text))
  return {
    policy: oneOf(policies, json['policy']),
    stickyBy: oneOf(['end_user', 'session'], json['stickyBy']),
    targets: listOf(json['targets']).map(targetOf),
    attempts: attemptsOf(recordOf(json['attempts'])),
  }
}

function targetOf(stored: unknown): RouterTargetRecord {
  const { deadlines, maxInFlight, to, weight, when } = recordOf(stored)
  return {
    to: toOf(recordOf(to)),
    weight: numberOf(weight),
    maxInFlight: maxInFlight === null ? null : numberOf(maxInFlight),
    when: when === null ? null : conditionOf(recordOf(when)),
    deadlines: deadlinesOf(deadlines),
  }
}

function toOf({ accountId, kind, model, name }: Json): RouterTargetRecord['to'] {
  if (kind === 'source') return { kind, accountId: textOf(accountId), model: textOf(model) }
  return { kind: oneOf(['alias', 'router'], kind), name: textOf(name) }
}

function conditionOf({ bundles, features: needed, inputTokensMax, inputTokensMin, mode }: Json): Condition {
  return {
    ...(bundles !== undefined && { bundles: listOf(bundles).map(textOf) }),
    ...(needed !== undefined && { features: listOf(needed).map((one) => oneOf(features, one)) }),
    ...(inputTokensMin !== undefined && { inputTokensMin: numberOf(inputTokensMin) }),
    ...(inputTokensMax !== undefined && { inputTokensMax: numberOf(inputTokensMax) }),
    ...(mode !== undefined && { mode: oneOf(['live', 'test'], mode) }),
  }
}

function attemptsOf(json: Json): AttemptRules {
  return {
    deadlines: deadlinesOf(json['deadlines']),
    withinMs: numberOf(json['withinMs']),
    attemptsMax: numberOf(json['attemptsMax']),
    retriesPerTarget: numberOf(json['retriesPerTarget']),
    alsoMovesOn: listOf(json['alsoMovesOn']).map(numberOf),
    neverMovesOn: listOf(json['neverMovesOn']).map(numberOf),
    // Absent in routers that were stored before this field existed.
    onContextLength: oneOf(contextLengthRules, json['onContextLength'] ?? 'next'),
  }
}

function deadlinesOf(stored: unknown): Partial<Deadlines> {
  const json = recordOf(stored)
  return Object.fromEntries(
    deadlineNames.flatMap((name) => (json[name] === undefined ? [] : [[name, numberOf(json[name])]])),
  )
}

type Json = Readonly<Record<string, unknown>>

function recordOf(json: unknown): Json {
  assert(
    typeof json === 'object' && json !== null && !Array.isArray(json),
    'this part of a router is a record',
  )
  return { ...json }
}

function listOf(json: unknown): readonly unknown[] {
  assert(Array.isArray(json), 'this part of a router is a list')
  return json
}

function textOf(json: unknown): string {
  assert(typeof json === 'string', 'this field of a router is text')
  return json
}

function numberOf(json: unknown): number {
  assert(typeof json === 'number' && Number.isSafeInteger(json), 'this field of a router is a whole number')
  return json
}

function oneOf<const Word extends string>(words: readonly Word[], json: unknown): Word {
  const found = words.find((word) => word === json)
  assert(found !== undefined, `this field of a router is one of ${words.join(', ')}`)
  return found
}
