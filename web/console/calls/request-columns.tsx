import { useMemo, type ReactNode } from 'react'
import { hourMs } from '#money/periods-and-windows.ts'
import type { Request } from '#sdk/generated/types.ts'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { exactTimeText } from '#web/ui/number-text.ts'
import { zoneText } from '#web/ui/time-zone.ts'
import type { Column } from '#web/ui/data-table.tsx'
import { Count, Duration, Id, Money, Nothing } from '#web/ui/formatted-values.tsx'
import { CallState } from './request-outcome.tsx'
import { momentText } from '../point-in-time-text.ts'

const inFlight = 'In flight'

/** @param hasDate whether each time includes its day, for a range longer than a day */
export function useCallColumns(hasDate: boolean): readonly Column<Request>[] {
  const zone = zoneText(useNow(hourMs))
  return useMemo(
    () => [
      {
        id: 'time',
        head: 'Time',
        unit: zone,
        cell: ({ createdAt }) => <Moment at={createdAt} hasDate={hasDate} />,
      },
      ...otherColumns,
    ],
    [zone, hasDate],
  )
}

const otherColumns: readonly Column<Request>[] = [
  {
    id: 'user',
    head: 'End user',
    cell: ({ endUserId }) => <Name text={endUserId} reason="Unknown end user" isNarrow />,
  },
  {
    id: 'name',
    head: 'Model',
    cell: ({ providerModel, requestedModel }) => (
      <>
        <Name text={requestedModel} reason="No model was requested" isNarrow />
        {providerModel !== null && providerModel !== requestedModel && (
          <span className="text-ink-3">
            {' '}
            →{' '}
            <bdi title={providerModel} className={narrow}>
              {providerModel}
            </bdi>
          </span>
        )}
      </>
    ),
  },
  { id: 'status', head: 'Status', cell: (call) => <CallState call={call} /> },
  {
    id: 'in',
    head: 'In',
    unit: 'tokens',
    isNumber: true,
    cell: (call) => <Tokens call={call} of="inputTokens" />,
  },
  {
    id: 'cached',
    head: 'Cached',
    unit: 'tokens',
    isNumber: true,
    isExtra: true,
    cell: (call) => <Tokens call={call} of="cachedInputTokens" />,
  },
  {
    id: 'out',
    head: 'Out',
    unit: 'tokens',
    isNumber: true,
    cell: (call) => <Tokens call={call} of="outputTokens" />,
  },
  {
    id: 'charged',
    head: 'Charged',
    isNumber: true,
    cell: (call) =>
      isCharged(call) ? (
        <Money micros={call.chargeMicros} aligned className="font-medium" />
      ) : (
        <Nothing reason={whyNotCharged(call)} />
      ),
  },
  {
    id: 'cost',
    head: 'Cost',
    isNumber: true,
    cell: (call) =>
      isCharged(call) || call.costMicros !== '0' ? (
        <Money micros={call.costMicros} aligned />
      ) : (
        <Nothing reason={whyNotCharged(call)} />
      ),
  },
  {
    id: 'first',
    head: 'First byte',
    isNumber: true,
    cell: ({ firstByteMs }) => (
      <Duration ms={firstByteMs} reason="Only streamed responses have a first byte time" />
    ),
  },
  {
    id: 'total',
    head: 'Total',
    isNumber: true,
    cell: ({ latencyMs }) => <Duration ms={latencyMs} reason={inFlight} />,
  },
  {
    id: 'key',
    head: 'Key',
    isExtra: true,
    cell: ({ keyId }) => (keyId === null ? <Nothing reason="Unknown key" /> : <Id text={keyId} />),
  },
  {
    id: 'wire',
    head: 'Wire',
    isExtra: true,
    cell: ({ streamed, wire }) =>
      wire === null ? <Nothing reason={inFlight} /> : `${wire}${streamed === true ? ', streamed' : ''}`,
  },
  {
    id: 'provider',
    head: 'Provider',
    isExtra: true,
    cell: ({ provider }) => <Name text={provider} reason="No provider was selected" />,
  },
  {
    id: 'billed',
    head: 'List value',
    isNumber: true,
    isExtra: true,
    cell: (call) =>
      isCharged(call) ? (
        <Money micros={call.billedMicros} aligned />
      ) : (
        <Nothing reason={whyNotCharged(call)} />
      ),
  },
  {
    id: 'error',
    head: 'Error',
    isExtra: true,
    cell: ({ errorCode }) => (errorCode === null ? <Nothing reason="No error" /> : <Id text={errorCode} />),
  },
  { id: 'id', head: 'ID', isExtra: true, cell: ({ id }) => <Id text={id} /> },
]

export function isCharged({ status }: Pick<Request, 'status'>): boolean {
  return status === 'settled' || status === 'recovered'
}

function whyNotCharged({ status }: Request): string {
  return status === 'in_flight' ? inFlight : 'Nothing was charged'
}

function Tokens({
  call,
  of,
}: {
  readonly call: Request
  readonly of: 'inputTokens' | 'cachedInputTokens' | 'outputTokens'
}): ReactNode {
  return isCharged(call) ? <Count of={call[of]} /> : <Nothing reason={whyNotCharged(call)} />
}

/** Keeps one long name from pushing other columns off the page. */
const narrow = 'inline-block max-w-45 truncate align-bottom'

function Name({
  isNarrow = false,
  reason,
  text,
}: {
  readonly text: string | null
  readonly reason: string
  readonly isNarrow?: boolean
}): ReactNode {
  return text === null ? (
    <Nothing reason={reason} />
  ) : (
    <bdi title={text} className={isNarrow ? narrow : undefined}>
      {text}
    </bdi>
  )
}

function Moment({ at, hasDate }: { readonly at: string; readonly hasDate: boolean }): ReactNode {
  const nowMs = useNow(60_000)
  return (
    <time dateTime={at} title={exactTimeText(at)} className="figures whitespace-nowrap">
      {momentText(at, nowMs, { hasDate })}
    </time>
  )
}
