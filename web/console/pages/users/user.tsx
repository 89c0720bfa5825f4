import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { EndUser } from '#sdk/generated/types.ts'
import { NotFoundError } from '#sdk/errors.ts'
import { Tabs } from '#web/ui/tabs-segments-and-switch.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { Empty, Skeleton, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { CallRows } from '../../calls/request-rows.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { CommandLine } from '../../copy-as-code.tsx'
import { KeyTable } from '../../keys/key-table.tsx'
import { useSearchText } from '../../url-parameters.ts'
import { Go } from '../../shell/console-links.tsx'
import { Ledger } from './ledger-of-end-user.tsx'
import { Plan } from './plan-of-end-user.tsx'
import { BalanceAndLimits } from './balance-and-limits.tsx'
import { UserActions } from './end-user-actions-menu.tsx'

/** Running requests change the holds, so the page reloads at this interval. */
const freshMs = 5000

export default function User(): ReactNode {
  const { id = '' } = useParams({ strict: false })
  const {
    data: user,
    error,
    isPlaceholderData,
    refetch,
  } = useAnswer('users.show', { externalId: id }, { everyMs: freshMs })
  const limits = useAnswer(
    'users.limits',
    { externalId: id },
    { everyMs: freshMs, isEnabled: user !== undefined },
  )
  const isKnown = !limits.isPlaceholderData && (limits.data !== undefined || limits.error !== null)
  const shown = user && !isPlaceholderData ? user : undefined
  const before = <Go to="/users">End users</Go>
  if (error && !shown) {
    return (
      <>
        <PageHead title={<bdi>{id}</bdi>} before={before} />
        {error instanceof NotFoundError ? (
          <Empty title="End user not found" command={<CommandLine operation="users.list" />}>
            No end user has the ID <bdi className="wrap-anywhere">{id}</bdi> in this mode of this application.
            The end user may have been removed, or may belong to another application.
          </Empty>
        ) : (
          <FailureNote error={error} onRetry={() => void refetch()} />
        )}
      </>
    )
  }
  return (
    <>
      <PageHead
        before={before}
        title={<bdi>{id}</bdi>}
        about={shown && isKnown ? <About user={shown} /> : <Skeleton className="w-64" />}
        action={shown && isKnown && <UserActions user={shown} />}
      />
      {/* Show all parts together to avoid layout shift. */}
      {shown && isKnown && (
        <>
          <BalanceAndLimits
            user={shown}
            limits={limits.data}
            error={limits.error}
            onRetry={() => void limits.refetch()}
          />
          <Parts user={shown} onPlan={limits.data?.onPlan ?? true} />
        </>
      )}
    </>
  )
}

function About({ user }: { readonly user: EndUser }): ReactNode {
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1 text-14">
      {user.frozen ? (
        <State
          tone="negative"
          words={`Frozen: all requests are rejected${user.frozenReason === null ? '' : ` (${user.frozenReason})`}`}
        />
      ) : (
        <State tone="positive" words="Active" />
      )}
      {user.email !== null && <bdi className="wrap-anywhere">{user.email}</bdi>}
      <span className="inline-flex items-center gap-1 text-13 text-ink-3">
        <code>{user.id}</code>
        <CopyButton text={user.id} label="Copy Tollgate ID" />
      </span>
    </span>
  )
}

function Parts({ onPlan, user }: { readonly user: EndUser; readonly onPlan: boolean }): ReactNode {
  const [tab, setTab] = useSearchText('tab')
  const endUserId = user.externalId
  return (
    <Tabs
      label="About the end user"
      chosen={tab ?? 'activity'}
      onChoose={(next) => setTab(next === 'activity' ? null : next)}
      tabs={[
        {
          id: 'activity',
          words: 'Activity',
          content: (
            <CallRows
              endUserId={endUserId}
              label="Requests"
              empty={
                <Empty
                  title="No requests yet"
                  command={<CommandLine operation="keys.mint" input={{ endUserId }} />}
                >
                  Requests of this end user appear here with their charge. Create a key so that the end user
                  can send requests.
                </Empty>
              }
            />
          ),
        },
        { id: 'ledger', words: 'Ledger', content: <Ledger user={user} /> },
        {
          id: 'keys',
          words: 'Keys',
          content: (
            <KeyTable
              endUserId={endUserId}
              empty={
                <Empty
                  title="No keys yet"
                  command={<CommandLine operation="keys.mint" input={{ endUserId }} />}
                >
                  Create a key so that the end user can call the gateway and spend this balance.
                </Empty>
              }
            />
          ),
        },
        { id: 'plan', words: 'Plan', content: <Plan user={user} onPlan={onPlan} /> },
      ]}
    />
  )
}
