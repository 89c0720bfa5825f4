import type { ReactNode } from 'react'
import { inDollars, spaced } from '#explain/amounts-in-explanation-text.ts'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { durationText, exactTimeText } from '#web/ui/number-text.ts'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { Go } from '../../../shell/console-links.tsx'
import type { Told } from './waterfall-phases.ts'

export function RejectingLimit({
  refusal,
  told,
}: {
  readonly told: Told
  readonly refusal: NonNullable<Told['refusal']>
}): ReactNode {
  const { available, code, fix, held, limit, limitSource, message, requested, resetsAt, used, waitedMs } =
    refusal
  const amount = (micros: string | null | undefined, key: string): ReactNode =>
    typeof micros === 'string' && <Money key={key} micros={micros} />
  const facts = (
    [
      ['Limit', typeof limitSource === 'string' && spaced(limitSource)],
      ['Maximum', amount(limit, 'limit')],
      ['Used', amount(used, 'used')],
      ['Held by other requests', amount(held, 'held')],
      ['Available', amount(available, 'available')],
      ['Minimum needed', amount(requested, 'requested')],
      [
        'Resets',
        typeof limit === 'string' && (typeof resetsAt === 'string' ? exactTimeText(resetsAt) : 'never'),
      ],
      ['Waited', typeof waitedMs === 'number' && durationText(waitedMs)],
      ['Code', typeof code === 'string' && <code key="code">{code}</code>],
    ] as const
  ).map(([name, value]) => (value === false || value === undefined ? null : ([name, value] as const)))
  const place = placeOf(told, limitSource ?? null)
  return (
    <div className="flex max-w-prose flex-col gap-4">
      {typeof message === 'string' && told.status !== 'refused' && (
        <p className="wrap-anywhere">
          <bdi>{inDollars(message, moneyText)}</bdi>
        </p>
      )}
      <Facts facts={facts} />
      {typeof fix === 'string' && (
        <Note title="How to fix this rejection" action={place && <Go {...place}>{place.words}</Go>}>
          {inDollars(fix, moneyText)}
        </Note>
      )}
    </div>
  )
}

function placeOf(
  { endUserId, keyId, policy }: Told,
  limitSource: string | null,
): {
  readonly to: string
  readonly params?: Readonly<Record<string, string>>
  readonly search?: Readonly<Record<string, string>>
  readonly words: string
} | null {
  switch (limitSource) {
    case 'key_cap':
    case 'key_limit':
      return keyId === null ? null : { to: '/keys', search: { open: keyId }, words: 'Open key' }
    case 'bundle_limit':
      return typeof policy?.bundle === 'string'
        ? { to: '/bundles', search: { open: policy.bundle }, words: 'Open bundle' }
        : null
    case 'portal_total':
      return { to: '/brand', words: 'Open portal settings' }
    case 'outcome_run':
      return { to: '/outcomes', words: 'Open outcomes' }
    default:
      return endUserId === null
        ? null
        : { to: '/users/$id', params: { id: endUserId }, words: 'Open end user' }
  }
}
