import type { ReactNode } from 'react'
import { RightIcon } from '#web/ui/icons.tsx'
import { useFurtherPages } from '#web/portal/portal-page-frame.tsx'
import { pathOf } from '#web/portal/pages-of-url-paths.ts'
import { List, Row } from '#web/portal/ui/lists-and-rows.tsx'
import { PageTitle } from '#web/portal/ui/page-title-and-sections.tsx'

export default function More(): ReactNode {
  return (
    <>
      <PageTitle title="More" />
      <List label="More pages">
        {useFurtherPages().map(([page, words, about]) => (
          <Row key={page} to={pathOf(page)} className="min-h-16">
            <span className="min-w-0 flex-1">
              <span className="block font-medium">{words}</span>
              <span className="block text-14 text-ink-2">{about}</span>
            </span>
            <RightIcon className="size-5 text-ink-3" />
          </Row>
        ))}
      </List>
    </>
  )
}
