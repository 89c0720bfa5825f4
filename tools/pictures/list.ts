/** Every page that has an address, as `npm run pictures` takes it. */

export interface Picture {
  readonly surface: 'console' | 'portal'
  /** In the name of its file, and what `--only` looks in. */
  readonly page: string
  /** `$request` is the newest call of the month, `$app` its application. */
  readonly path: string
  /** Whether the page is shown without a sign-in. */
  readonly isSignedOut: boolean
}

interface ConsolePage {
  readonly path: string
  readonly isBehindSignIn?: boolean
}

/** Values for the variable parts of a path. */
const ids: Readonly<Record<string, string>> = { requests: '$request', users: 'ada' }

/** Lists the pages from the route tables of the pages themselves, so that no page is missing. */
export async function allPictures(): Promise<readonly Picture[]> {
  // By address: their types are those of a browser's program.
  const console = (await import(address('console/pages.ts'))) as Readonly<
    Record<'pages' | 'barePages', readonly ConsolePage[]>
  >
  const portal = (await import(address('portal/routes.ts'))) as {
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
