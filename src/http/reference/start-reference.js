// Runs in the browser after Scalar's bundle has loaded. The settings disable telemetry, and fonts and requests of other
// hosts.
window.Scalar.createApiReference('#reference', {
  url: '/v1/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: false,
})
