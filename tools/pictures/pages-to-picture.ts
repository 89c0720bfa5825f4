export interface Picture {
  readonly surface: 'console' | 'portal'
  /** Part of the file name. `--only` selects pages by this name. */
  readonly page: string
  /** Path in the page's URL. `$request` is the newest call of the month, and `$app` is its application. */
  readonly path: string
  readonly isSignedOut: boolean
}

interface ConsolePage {
  readonly path: string
  readonly isBehindSignIn?: boolean
}

const ids: Readonly<Record<string, string>> = { requests: '$request', users: 'ada' }

/** Reads the route tables of the pages themselves, so that no page is missing. */
export async function allPictures(): Promise<readonly Picture[]> {
  // Import the modules by URL, because TypeScript checks them as part of a program for browsers.
  const console = (await import(address('console/pages.ts'))) as Readonly<
    Record<'pages' | 'barePages', readonly ConsolePage[]>
  >
  const portal = (await import(address('portal/pages-of-url-paths.ts'))) as {
    readonly pageNames: readonly string[]
    pathOf(page: string): string
  }
  const own = [...console.pages, ...console.barePages, { path: '/ui' }]
  return [
    ...own.map(({ isBehindSignIn = true, path }: ConsolePage): Picture => {
      const [, first = '', second] = path.split('/')
      const to = second === undefined ? path : `/${first}/${ids[first] ?? second}`
      const page = `${first === '' ? 'overview' : first}${second === undefined ? '' : '-one'}`
      return { surface: 'console', page, path: `${to}?app=$app&mode=test`, isSignedOut: !isBehindSignIn }
    }),
    ...portal.pageNames.map((page): Picture => {
      return { surface: 'portal', page, path: portal.pathOf(page), isSignedOut: false }
    }),
    { surface: 'portal', page: 'receipt', path: '/activity/$request', isSignedOut: false },
    { surface: 'portal', page: 'nobody', path: '/', isSignedOut: true },
  ]
}

function address(path: string): string {
  return new URL(`../../web/${path}`, import.meta.url).href
}
