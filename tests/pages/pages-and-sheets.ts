/**
 * Lists the pages of the console, and the sheets that can be open on each page, for tests that open all pages and
 * sheets.
 */
import { longName } from './product-page-data.ts'

/** Returns pages and sheets for the parts of a product, in groups, in the application that `seed` has filled. */
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

/**
 * Pages for end users, keys, grants, teams, outcomes and invoices, with the IDs that these pages need. The end user
 * `ada` exists in only one mode, and the IDs belong to that mode.
 */
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
