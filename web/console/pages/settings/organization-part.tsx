import type { ReactNode } from 'react'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count, When } from '#web/ui/formatted-values.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { aboutRole } from '../../sign-in/team-roles.ts'
import { Go } from '../../shell/console-links.tsx'

export function OrganizationPart(): ReactNode {
  const { data, error, refetch } = useAnswer('customer.show', {})
  if (error)
    return (
      <FailureNote
        error={error}
        title="The organization couldn't be loaded."
        onRetry={() => void refetch()}
      />
    )
  if (!data) return <Skeleton className="h-64" />
  return (
    <div className="max-w-prose">
      <Facts
        facts={[
          ['Name', <bdi key="name">{data.name}</bdi>],
          [
            'ID',
            <span key="id" className="inline-flex items-center gap-1">
              <code className="text-13">{data.id}</code>
              <CopyButton text={data.id} label="Copy organization ID" />
            </span>,
          ],
          [
            'Code',
            <span key="code">
              <code className="text-13">{data.code}</code>
              <span className="text-ink-3">, part of each token: sk_{data.code}_…</span>
            </span>,
          ],
          [
            'Tier',
            <Go key="tier" to="/bill">
              {data.tier}
            </Go>,
          ],
          [
            'Applications',
            <Go key="apps" to="/apps">
              <Count of={data.applications} />
            </Go>,
          ],
          [
            'Members',
            <Go key="members" to="/team">
              <Count of={data.members} />
            </Go>,
          ],
          ['Your role', `${data.role}: ${aboutRole(data.role)}`],
          ['Created', <When key="founded" at={data.createdAt} />],
        ]}
      />
    </div>
  )
}
