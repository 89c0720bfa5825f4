import type { ReactNode } from 'react'
import { buttonClass } from '#web/ui/button.tsx'
import { Empty } from '#web/ui/state.tsx'
import { CommandLine } from '../copy-as.tsx'
import { Go } from './go.tsx'

/** In place of what belongs to an application, as long as there is none. */
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
            Create an application
          </Go>
        </span>
      }
      command={<CommandLine operation="apps.create" input={{ slug: 'acme', name: 'Acme Assistant' }} />}
    >
      End users, keys, names, calls and money belong to an application: what is here begins with the first
      one.
    </Empty>
  )
}
