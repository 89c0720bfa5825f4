import type { ReactNode } from 'react'
import { buttonClass } from '#web/ui/button.tsx'
import { Empty } from '#web/ui/status-notes-and-placeholders.tsx'
import { CommandLine } from '../copy-as-code.tsx'
import { Go } from './console-links.tsx'

export function NoApplication(): ReactNode {
  return (
    <Empty
      title="No application yet"
      action={
        <span className="flex flex-wrap items-center gap-4">
          <Go to="/onboarding" className={buttonClass('primary')}>
            Get started
          </Go>
          <Go to="/apps" search={{ act: 'new' }}>
            Create application
          </Go>
        </span>
      }
      command={<CommandLine operation="apps.create" input={{ slug: 'acme', name: 'Acme Assistant' }} />}
    >
      End users, keys, models, requests and money belong to an application. Create your first application to
      use this page.
    </Empty>
  )
}
