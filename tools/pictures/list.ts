/** Every page that has an address, as `npm run pictures` takes it. */

export interface Picture {
  readonly surface: 'console' | 'portal'
  /** In the name of its file, and what `--only` looks in. */
  readonly page: string
  /** `{request}` is the newest call of the month. */
  readonly path: string
  /** Nobody is signed in. */
  readonly isSignedOut?: boolean
}

export const pictures: readonly Picture[] = [
  { surface: 'console', page: 'overview', path: '/' },
  { surface: 'console', page: 'request', path: '/requests/{request}' },
  { surface: 'console', page: 'components', path: '/ui' },
  { surface: 'console', page: 'sign-in', path: '/sign-in', isSignedOut: true },
  { surface: 'console', page: 'setup', path: '/setup', isSignedOut: true },
  { surface: 'console', page: 'invite', path: '/invite', isSignedOut: true },
  { surface: 'console', page: 'device', path: '/device?code=WDJB-MJHT' },
  { surface: 'portal', page: 'home', path: '/' },
  { surface: 'portal', page: 'nobody', path: '/', isSignedOut: true },
]
