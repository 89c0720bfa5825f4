import type { ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Segments } from '#web/ui/tabs-segments-and-switch.tsx'
import { DownIcon } from '#web/ui/icons.tsx'
import { Menu } from '#web/ui/dialog-sheet-and-menu.tsx'
import { useNavigate } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { applicationsQuery, applicationWords, openApplications } from '../applications.ts'
import { useScope } from '../application-and-mode.ts'
import { useSetSearch } from '../url-parameters.ts'

/**
 * Returns null if no application exists, or if the applications are not loaded yet. An application that the URL names
 * but that does not exist has its slug as its name, because the page requests the data of that slug.
 */
export function useApp(): { readonly slug: string; readonly name: string } | null {
  const { app } = useScope()
  const { data } = useQuery(applicationsQuery)
  if (data === undefined) return null
  if (app === null) return openApplications(data.rows)[0] ?? null
  return data.rows.find(({ slug }) => slug === app) ?? { slug: app, name: app }
}

export function useHasNoApp(): boolean {
  const { app } = useScope()
  const { data } = useQuery(applicationsQuery)
  return app === null && data !== undefined && openApplications(data.rows).length === 0
}

export function AppSwitcher(): ReactNode {
  const chosen = useApp()
  const { data } = useQuery(applicationsQuery)
  const setSearch = useSetSearch()
  const navigate = useNavigate()
  const others = openApplications(data?.rows ?? [])
  return (
    <Menu
      trigger={
        <Button className="w-full">
          <span className="sr-only">Application: </span>
          <bdi className="min-w-0 flex-1 truncate text-left">
            {chosen ? applicationWords(chosen, others) : data ? 'No application' : '…'}
          </bdi>
          <DownIcon />
        </Button>
      }
      entries={[
        ...others.map((app) => ({
          words: applicationWords(app, others),
          isChosen: app.slug === chosen?.slug,
          onSelect: () => setSearch({ app: app.slug }, true),
        })),
        ...(others.length > 0 ? [null] : []),
        { words: 'All applications', onSelect: () => void navigate({ to: '/apps' }) },
      ]}
    />
  )
}

export function ModeSwitch(): ReactNode {
  const { mode } = useScope()
  const setSearch = useSetSearch()
  return (
    <Segments
      label="Mode"
      value={mode}
      options={[
        ['live', 'Live'],
        ['test', 'Test'],
      ]}
      onChange={(next) => setSearch({ mode: next === 'test' ? 'test' : null }, true)}
    />
  )
}
