import type { ReactNode } from 'react'
import { Tabs } from '#web/ui/tabs-segments-and-switch.tsx'
import { AheadMs } from '#web/ui/current-time-hooks.ts'
import { PageHead } from '#web/ui/page-head-and-sections.tsx'
import { CopyAs } from '../../copy-as-code.tsx'
import type { OperationId } from '../../operations/use-operation.ts'
import { useSearchText } from '../../url-parameters.ts'
import { useApp } from '../../shell/application-and-mode-switcher.tsx'
import { GatewayPart } from './gateway-restrictions-part.tsx'
import { LimitsPart } from './daily-limits-part.tsx'
import { NoApplication } from '../../shell/no-application.tsx'
import { OrganizationPart } from './organization-part.tsx'
import { TagsPart } from './tags-part.tsx'
import { TestClockPart } from './test-clock-part.tsx'
import { MemberPart } from './own-account-part.tsx'

const reads: Readonly<Record<string, OperationId>> = {
  gateway: 'gateway.show',
  tags: 'tags.list',
  limits: 'limits.show',
  clock: 'testClock.show',
  you: 'sessions.current',
  organization: 'customer.show',
}

export default function Settings(): ReactNode {
  const app = useApp()
  const [tab, setTab] = useSearchText('tab')
  const chosen = tab !== null && tab in reads ? tab : 'gateway'
  return (
    <>
      <PageHead
        title="Settings"
        about="Settings of this application, your organization and your account."
        action={<CopyAs operation={reads[chosen] ?? 'gateway.show'} />}
      />
      <Tabs
        label="Settings"
        chosen={chosen}
        onChoose={(next) => setTab(next === 'gateway' ? null : next)}
        tabs={[
          {
            id: 'gateway',
            words: 'Gateway',
            content: app ? <GatewayPart app={app} /> : <NoApplication />,
          },
          { id: 'tags', words: 'Tags', content: app ? <TagsPart app={app} /> : <NoApplication /> },
          {
            id: 'limits',
            words: 'Daily limits',
            content: (
              <AheadMs value={0}>
                <LimitsPart />
              </AheadMs>
            ),
          },
          {
            id: 'clock',
            words: 'Test clock',
            content: app ? <TestClockPart app={app} /> : <NoApplication />,
          },
          {
            id: 'you',
            words: 'You',
            content: (
              <AheadMs value={0}>
                <MemberPart />
              </AheadMs>
            ),
          },
          {
            id: 'organization',
            words: 'Organization',
            content: (
              <AheadMs value={0}>
                <OrganizationPart />
              </AheadMs>
            ),
          },
        ]}
      />
    </>
  )
}
