/**
 * What a page shows is of one application, unless it is of the organization. Which one stands in the address, so that
 * a link shows what was seen; where there is none yet, the way to the first one is shown in the place of the page.
 */
import { useMatches } from '@tanstack/react-router'
import { useEffect, type ReactNode } from 'react'
import { PageHead } from '#web/ui/layout.tsx'
import { Empty } from '#web/ui/state.tsx'
import { buttonClass } from '#web/ui/button.tsx'
import { CommandLine } from '../copy-as.tsx'
import { useScope } from '../scope.ts'
import { useSetSearch } from '../search.ts'
import { useApps } from './app-switcher.tsx'
import { Go } from './go.tsx'

export function AboutApplication({ children }: { readonly children: ReactNode }): ReactNode {
  const { isOfOrganization, title } = useMatches({
    select: (matches) => matches.at(-1)?.staticData ?? {},
  })
  const { app } = useScope()
  const { apps, error } = useApps()
  const setSearch = useSetSearch()
  const first = app === null && apps && apps.length > 1 ? apps[0]?.slug : undefined
  useEffect(() => {
    // Without a name the server takes whichever the person used last, which is not what the switcher shows.
    if (first !== undefined && isOfOrganization !== true) setSearch({ app: first })
  }, [first, isOfOrganization, setSearch])
  if (isOfOrganization === true || app !== null || error !== undefined) return children
  if (!apps || first !== undefined) return <div aria-busy className="min-h-dvh" />
  return apps.length === 0 ? <NoApplication title={title ?? 'Console'} /> : children
}

function NoApplication({ title }: { readonly title: string }): ReactNode {
  return (
    <>
      <PageHead title={title} />
      <Empty
        title="No application yet"
        action={
          <Go to="/onboarding" className={buttonClass('primary')}>
            Get started
          </Go>
        }
        command={<CommandLine operation="apps.create" input={{ slug: 'acme', name: 'Acme' }} />}
      >
        This page is of an application: a product of yours with its people, keys, names and bundles. Six steps
        lead from making one to a first call.
      </Empty>
    </>
  )
}
