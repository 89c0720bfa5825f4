import type { ReactNode } from 'react'
import type { types } from '#sdk/portal.ts'
import type { Known } from '#web/ui/known-words.ts'
import { State, type Tone } from '#web/ui/status-notes-and-placeholders.tsx'
import { countText } from '#web/ui/number-text.ts'
import { Money, Nothing, When } from '#web/ui/formatted-values.tsx'
import { receiptPath } from './pages-of-url-paths.ts'
import { Row } from './ui/lists-and-rows.tsx'

type Call = types.PortalRequest

const states: Readonly<Record<string, readonly [Tone, string]>> = {
  settled: ['positive', 'Charged'],
  recovered: ['positive', 'Charged'],
  released: ['neutral', 'Not charged'],
  refused: ['negative', 'Rejected'],
  in_flight: ['held', 'Running'],
} satisfies Readonly<Record<Known<Call['status']>, readonly [Tone, string]>>

export function CallState({ status }: { readonly status: string }): ReactNode {
  const [tone, words] = states[status] ?? ['neutral', status]
  return <State tone={tone} words={words} />
}

export function CallRow({ call }: { readonly call: Call }): ReactNode {
  const isCharged = call.status === 'settled' || call.status === 'recovered'
  return (
    <Row to={receiptPath(call.id)}>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium" title={call.requestedModel ?? undefined}>
          {call.requestedModel === null ? (
            <Nothing reason="No model was requested" />
          ) : (
            <bdi>{call.requestedModel}</bdi>
          )}
        </span>
        <span className="figures block truncate text-14 text-ink-2">
          <When at={call.createdAt} />
          {isCharged && <> · {tokensText(call)}</>}
        </span>
      </span>
      <span className="shrink-0 text-right">
        {isCharged ? (
          <Money micros={call.chargeMicros} className="font-medium" aligned />
        ) : (
          <CallState status={call.status} />
        )}
      </span>
    </Row>
  )
}

/** Such as `1 204 in, 512 cached, 88 out`. */
function tokensText({
  cachedInputTokens,
  inputTokens,
  outputTokens,
}: Pick<Call, 'cachedInputTokens' | 'inputTokens' | 'outputTokens'>): string {
  return [
    `${countText(inputTokens)} in`,
    ...(cachedInputTokens > 0 ? [`${countText(cachedInputTokens)} cached`] : []),
    `${countText(outputTokens)} out`,
  ].join(', ')
}
