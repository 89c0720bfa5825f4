import { useMatches } from '@tanstack/react-router'
import { useEffect } from 'react'

/** The title starts with the ID that the URL contains, so that several tabs can be told apart. */
export function useDocumentTitle(): void {
  const title = useMatches({
    select(matches) {
      const last = matches.at(-1)
      const params: Readonly<Record<string, string>> = last?.params ?? {}
      return [params['id'], last?.staticData.title ?? 'Page not found', 'Tollgate']
        .filter((part) => part !== undefined)
        .join(' · ')
    },
  })
  useEffect(() => {
    document.title = title
  }, [title])
}
