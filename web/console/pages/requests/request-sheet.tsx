import { useRef, type ReactNode } from 'react'
import { buttonClass } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { Sheet } from '#web/ui/dialog-sheet-and-menu.tsx'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { exactTimeText } from '#web/ui/number-text.ts'
import { Id, Money, Nothing } from '#web/ui/formatted-values.tsx'
import { CallState } from '../../calls/request-outcome.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { Go, UserLink } from '../../shell/console-links.tsx'
import { CallWaterfall } from './explain/call-waterfall.tsx'
import { Sentence } from './explain/summary-sentence-of-request.tsx'
import { isCharged } from '../../calls/request-columns.tsx'

export function RequestSheet({
  id,
  onClose,
  onStep,
}: {
  readonly id: string
  readonly onClose: () => void
  readonly onStep: (by: 1 | -1) => void
}): ReactNode {
  const { data, error, isPlaceholderData, refetch } = useAnswer('requests.explain', { id })
  const first = useRef<HTMLDivElement>(null)
  const told = data?.id === id || !isPlaceholderData ? data : undefined
  return (
    <Sheet
      isOpen
      onClose={onClose}
      onStep={onStep}
      firstFocus={() => first.current?.querySelector('a') ?? null}
      title="Request"
      about={<Id text={id} />}
    >
      <div ref={first} className="mb-4 flex flex-wrap items-center gap-2">
        <Go to="/requests/$id" params={{ id }} className={buttonClass('primary')}>
          Open full page
        </Go>
        <CopyAs operation="requests.explain" input={{ id }} />
        <span className="ml-auto text-13 text-ink-3">
          <kbd>j</kbd> and <kbd>k</kbd> go to the next and previous row
        </span>
      </div>
      {error !== null && (
        <FailureNote error={error} title="This request couldn't be loaded." onRetry={() => void refetch()} />
      )}
      {error === null && !told && <Skeleton className="h-40" />}
      {told && (
        <div aria-busy={isPlaceholderData || undefined}>
          <Sentence told={told} />
          <Facts
            className="my-4"
            facts={[
              ['Status', <CallState key="status" call={told} />],
              ['Time', exactTimeText(told.createdAt)],
              [
                'End user',
                told.endUserId === null ? (
                  <Nothing key="user" reason="Unknown end user" />
                ) : (
                  <UserLink key="user" id={told.endUserId} />
                ),
              ],
              [
                'Model',
                <bdi key="name">
                  {told.requestedModel ?? '–'}
                  {told.providerModel !== null && ` → ${told.providerModel}`}
                </bdi>,
              ],
              told.tags.length > 0 ? ['Tags', told.tags.join(', ')] : null,
              told.team === null ? null : ['Team', told.team],
              isCharged(told) ? ['Charged', <Money key="charged" micros={told.chargeMicros} />] : null,
              isCharged(told) ? ['List value', <Money key="billed" micros={told.billedMicros} />] : null,
              isCharged(told) || told.costMicros !== '0'
                ? ['Cost', <Money key="cost" micros={told.costMicros} />]
                : null,
            ]}
          />
          <CallWaterfall told={told} />
        </div>
      )}
    </Sheet>
  )
}
