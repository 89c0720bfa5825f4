import { useState, type ReactNode } from 'react'
import type { ApiKeySummary } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Meter } from '#web/ui/charts/limit-meter.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts, Section } from '#web/ui/page-head-and-sections.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Skeleton, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Money, Nothing, When } from '#web/ui/formatted-values.tsx'
import { useHasPassed } from '#web/ui/current-time-hooks.ts'
import { CallRows } from '../calls/request-rows.tsx'
import { useAnswer, useChange } from '../operations/use-operation.ts'
import { ConfirmedChange } from '../button-with-confirmation.tsx'
import { CopyAs } from '../copy-as-code.tsx'
import { useMay } from '../sign-in/member-session.ts'
import { UserLink } from '../shell/console-links.tsx'
import { periodWords } from '../prices/dollars-or-credits-text.ts'
import { LimitsSection } from '../limits/limits-section.tsx'
import { CapForm } from './key-cap-form.tsx'
import { keyState } from './key-state.ts'
import { RotateKey } from './rotate-key-form.tsx'

export function KeySheet({
  id,
  onClose,
  onStep,
}: {
  readonly id: string
  readonly onClose: () => void
  readonly onStep: (by: 1 | -1) => void
}): ReactNode {
  const { data: key, error, refetch } = useAnswer('keys.show', { id })
  return (
    <Sheet
      isOpen
      onClose={onClose}
      onStep={onStep}
      title={key ? <bdi>{key.name}</bdi> : 'Key'}
      about={
        key && (
          <span className="inline-flex items-center gap-1 font-mono text-13">
            {key.keyPrefix}…{key.lastFour}
            <CopyButton text={key.keyPrefix} label="Copy key prefix" />
          </span>
        )
      }
    >
      {error && !key && <FailureNote error={error} onRetry={() => void refetch()} />}
      {key ? <Detail key={key.id} of={key} /> : !error && <Skeleton className="h-48" />}
    </Sheet>
  )
}

function Detail({ of: key }: { readonly of: ApiKeySummary }): ReactNode {
  const [tone, words] = keyState(key, useHasPassed(key.expiresAt))
  const mayChange = useMay('developer')
  const [isEditing, setEditing] = useState(false)
  const isLive = key.revokedAt === null
  return (
    <>
      <Section
        title="Spending"
        action={
          mayChange &&
          isLive &&
          !isEditing && (
            <Button size="small" onClick={() => setEditing(true)}>
              {key.capMicros === null ? 'Set cap' : 'Change cap'}
            </Button>
          )
        }
      >
        <Meter
          label={key.capMicros === null ? 'No cap' : `Cap ${periodWords(key.capPeriod)}`}
          used={BigInt(key.spentMicros)}
          held={BigInt(key.heldMicros)}
          limit={key.capMicros === null ? null : BigInt(key.capMicros)}
          format={moneyText}
          note={
            key.capMicros === null ? undefined : key.resetsAt === null ? (
              'never resets'
            ) : (
              <>
                resets <When at={key.resetsAt} />
              </>
            )
          }
        />
        {isEditing && <CapForm of={key} onClose={() => setEditing(false)} />}
      </Section>
      <KeyLimits of={key} mayChange={mayChange && isLive} />
      <Facts
        className="mb-8"
        facts={[
          ['State', <State key="state" tone={tone} words={words} />],
          [
            'End user',
            key.endUserId === null ? (
              <Nothing reason="The end user was deleted" />
            ) : (
              <UserLink id={key.endUserId} />
            ),
          ],
          key.tags.length > 0 ? ['Tags', key.tags.join(', ')] : null,
          ['Mode', key.livemode ? 'Live' : 'Test (no provider is called)'],
          [
            'Spent',
            <>
              <Money micros={key.spentMicros} /> in the current period ({periodWords(key.capPeriod)})
            </>,
          ],
          ['Held', <Money key="held" micros={key.heldMicros} />],
          ['Last used', <When key="used" at={key.lastUsedAt} reason="Never used" />],
          ['Expires', <When key="expires" at={key.expiresAt} reason="Does not expire" />],
          key.replacedBy === null ? null : ['Replaced by', <code key="replaced">{key.replacedBy}</code>],
          [
            'Created',
            <>
              <When at={key.createdAt} /> by {key.actorType}
              {key.actorLabel !== null && (
                <>
                  {' '}
                  <bdi>{key.actorLabel}</bdi>
                </>
              )}
            </>,
          ],
          key.revokedAt === null ? null : ['Revoked', <When key="revoked" at={key.revokedAt} />],
          ['ID', <code key="id">{key.id}</code>],
        ]}
      />
      <Section title="Recent requests">
        <CallRows
          isShort
          keyId={key.id}
          label="Recent requests with this key"
          empty={<p className="text-ink-2">No requests with this key yet.</p>}
        />
      </Section>
      <Endings
        of={key}
        mayRevoke={mayChange && isLive}
        mayRotate={mayChange && tone === 'positive' && key.replacedBy === null}
      />
    </>
  )
}

function KeyLimits({
  mayChange,
  of: { id, limits, name },
}: {
  readonly of: ApiKeySummary
  readonly mayChange: boolean
}): ReactNode {
  const change = useChange('keys.cap')
  return (
    <LimitsSection
      title={
        <>
          Limits of <bdi>{name}</bdi>
        </>
      }
      about="Limits of this key and of the keys that it replaced, in addition to the cap."
      empty="No limits besides the cap."
      note="The limits count only usage after you save them."
      limits={limits}
      mayChange={mayChange}
      save={(next) => change.mutateAsync({ id, limits: next })}
      operation="keys.cap"
      inputOf={(next) => ({ id, limits: next })}
    />
  )
}

function Endings({
  mayRevoke,
  mayRotate,
  of: key,
}: {
  readonly mayRevoke: boolean
  readonly mayRotate: boolean
  readonly of: ApiKeySummary
}): ReactNode {
  const [isRotating, setRotating] = useState(false)
  return (
    <div className="flex flex-wrap items-center gap-2">
      {mayRotate && <Button onClick={() => setRotating(true)}>Rotate key</Button>}
      {isRotating && <RotateKey of={key} onClose={() => setRotating(false)} />}
      {mayRevoke ? (
        <ConfirmedChange
          operation="keys.revoke"
          input={{ id: key.id }}
          action="Revoke key"
          code="API request to revoke the key"
          title={
            <>
              Revoke <bdi>{key.name}</bdi>?
            </>
          }
          onDone={({ alsoRevoked }) =>
            toast(alsoRevoked.length === 0 ? 'Key revoked' : 'Key revoked, together with the key it replaced')
          }
        >
          <p>Requests with this key will fail immediately. This can't be undone.</p>
          <p>If this key replaced an older key that still works, the older key is revoked too.</p>
          <p>Requests in flight finish and are charged. The key and its past requests remain on record.</p>
        </ConfirmedChange>
      ) : (
        <CopyAs operation="keys.show" input={{ id: key.id }} words="API request to show the key" />
      )}
    </div>
  )
}
