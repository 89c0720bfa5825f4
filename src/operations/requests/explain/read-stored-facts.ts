import type * as z from 'zod'
import type { Quote } from '#money/decision-types.ts'
import type { EventStory } from '#domain/emitters/emitter-records-and-ports.ts'
import { suffixOf } from '#domain/ids-sorted-by-time.ts'
import type { Key } from '#domain/end-user-keys.ts'
import type { LedgerEntry } from '#domain/billing/balances-and-ledger-entries.ts'
import type { CallCorrection } from '#domain/billing/call-correction-record.ts'
import type { CallStory } from '#domain/calls/call-record.ts'
import { traceOf } from '#explain/convert-trace-to-text.ts'
import type { StoredTrace } from '#explain/sections-of-trace.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { callLabels } from '#operations/requests/shared/request-view.ts'
import type { Explanation } from './explanation-schema.ts'

export type CustomerExplanation = z.output<typeof Explanation>

export interface Facts {
  readonly story: CallStory
  readonly trace: StoredTrace
  /** Null if the request was rejected before prices were determined. */
  readonly quote: Quote | null
  readonly entries: readonly LedgerEntry[]
  readonly corrections: readonly CallCorrection[]
  readonly key: Key | null
  readonly sources: ReadonlyMap<string, string>
  readonly labels: ReadonlyMap<string, string>
  readonly events: readonly EventStory[]
}

/** @returns null if the context's application and mode have no such request */
export async function factsOf(
  id: string,
  context: Pick<ApplicationContext, 'application' | 'mode' | 'organization' | 'store'>,
): Promise<Facts | null> {
  const { application, mode, store } = context
  const callId = suffixOf('req', id) ?? suffixOf('hold', id) ?? suffixOf('ur', id)
  const story = callId === null ? null : await store.requests.story(application.id, mode, callId)
  if (!story || callId === null) return null
  const { call, hold, settlement } = story
  const { endUserId, keyId } = call
  return {
    story,
    trace: traceOf(story.trace),
    quote: settlement?.quote ?? hold?.quote ?? null,
    entries: await store.balances.ledgerOfCall(application.id, callId),
    corrections: await store.corrections.ofCalls(application.id, [callId]),
    key: keyId === null ? null : await store.keys.byId(application.id, keyId),
    sources:
      endUserId === null ? new Map<string, string>() : await store.balances.sourceNames(endUserId, mode),
    labels: await callLabels(context),
    events:
      settlement === null
        ? []
        : await store.emitters.ofCall(application.id, mode, {
            callId,
            paid: settlement.paid,
            atMs: call.atMs,
            settledAtMs: settlement.settledAtMs,
            tokenSource: settlement.tokenSource,
          }),
  }
}
