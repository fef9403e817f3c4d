// Shows the description of the API. What would ask another host is switched off: fonts, counts of use, chat, clients.
'use strict';
Scalar.createApiReference('#api', {
  url: '/openapi/v1.json',
  operationTitleSource: 'path',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
});
