import type { ReactNode } from 'react'
import { Empty } from '#web/ui/state.tsx'
import { CommandLine } from '../../copy-as.tsx'
import { Go } from '../../shell/go.tsx'

/** In place of the settings of an application. */
export function NoApplication(): ReactNode {
  return (
    <Empty
      title="No application yet"
      action={
        <Go to="/apps" search={{ act: 'new' }}>
          Create an application
        </Go>
      }
      command={<CommandLine operation="apps.create" input={{ slug: 'acme', name: 'Acme Assistant' }} />}
    >
      These settings are of an application: there is one gateway and one test clock for each.
    </Empty>
  )
}
