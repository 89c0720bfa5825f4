import { longName } from './product-page-data.ts'

export function buildPlaces(app: string): readonly (readonly [about: string, places: readonly string[]])[] {
  const scope = `app=${app}&mode=test`
  return [
    [
      'models',
      [
        `/models?${scope}&bundle=wild`,
        `/models?${scope}&open=${encodeURIComponent(longName)}`,
        `/models?${scope}&open=acme%2Ffine&act=price&bundle=wild`,
        `/models?${scope}&act=new`,
      ],
    ],
    [
      'routers',
      [
        `/routers?${scope}`,
        `/routers?${scope}&open=acme%2Fsmart`,
        `/routers?${scope}&open=acme%2Fsmart&act=edit`,
        `/routers?${scope}&plan=acme%2Fsmart`,
      ],
    ],
    [
      'providers',
      [
        `/providers?${scope}`,
        `/providers?app=${app}&open=main`,
        `/providers?app=${app}&act=new`,
        `/providers?app=${app}&view=catalogue`,
      ],
    ],
    [
      'bundles',
      [
        `/bundles?${scope}`,
        `/bundles?${scope}&open=wild`,
        `/bundles?${scope}&open=wild&act=edit`,
        `/bundles?${scope}&open=wild&act=include&include=monthly`,
      ],
    ],
    ['the doctor and the first steps', [`/doctor?${scope}`, `/onboarding?${scope}`]],
  ]
}

/** The end user `ada` exists in only one mode, and the IDs belong to that mode. */
export const sellPlaces = [
  '/users',
  '/users/ada',
  '/users/ada?tab=ledger',
  '/users/ada?tab=keys',
  '/users/ada?tab=plan',
  '/keys',
  '/keys?act=new',
  '/grants',
  '/grants?act=bulk',
  '/grants?act=new',
  '/teams',
  '/teams?act=new',
  '/outcomes',
  '/invoices',
] as const
