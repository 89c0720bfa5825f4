import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { groups, pages } from '../pages.ts'

export function Rail(): ReactNode {
  return (
    <nav
      aria-label="Pages"
      className="flex flex-1 flex-col gap-4 overflow-y-auto px-3 pb-4 tablet:[@media(max-height:68rem)]:gap-2 tablet:[@media(max-height:68rem)]:pb-1"
    >
      {groups.map((group) => (
        <div key={group}>
          <p className="px-2 pb-1 text-12 text-ink-3 tablet:[@media(max-height:68rem)]:pb-0">{group}</p>
          <ul>
            {pages
              .filter((page) => page.group === group)
              .map(({ key, path, title }) => (
                <li key={path}>
                  <Link
                    to={path}
                    activeOptions={{ exact: path === '/', includeSearch: false }}
                    className="flex h-7 items-center max-tablet:h-11 tablet:[@media(max-height:68rem)]:h-6 rounded px-2 text-ink-2 hover:bg-surface-2 hover:text-ink aria-[current=page]:bg-surface-3 aria-[current=page]:font-medium aria-[current=page]:text-ink"
                    {...(key !== undefined && { 'aria-keyshortcuts': `g ${key}` })}
                  >
                    {title}
                  </Link>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}
