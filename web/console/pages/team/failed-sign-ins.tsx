import type { ReactNode } from 'react'
import type { ListedMember } from '#sdk/generated/types.ts'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import { When } from '#web/ui/formatted-values.tsx'
import { Go } from '../../shell/console-links.tsx'

export function FailedSignIns({ members }: { readonly members: readonly ListedMember[] }): ReactNode {
  const tried = members.flatMap(({ email, failedSignIns }) =>
    failedSignIns ? [{ email, failedSignIns }] : [],
  )
  if (tried.length === 0) return null
  return (
    <Section
      title="Failed sign-ins"
      about={
        <>
          Sign-ins with a wrong password or passkey in the last 30 days. The <Go to="/audit">audit log</Go>{' '}
          lists these sign-ins by network and hour.
        </>
      }
    >
      <ul className="flex flex-col gap-1 text-14">
        {tried.map(({ email, failedSignIns: { count, firstAt, lastAddress, lastAt } }) => (
          <li key={email}>
            <bdi className="font-medium">{email}</bdi>: {count} failed sign-in{count === 1 ? '' : 's'} since{' '}
            <When at={firstAt} isExact />, last <When at={lastAt} />
            {lastAddress !== '' && (
              <>
                {' '}
                from <bdi>{lastAddress}</bdi>
              </>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
