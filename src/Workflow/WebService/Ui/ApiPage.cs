using System.Security.Cryptography;
using Scalar.AspNetCore;
using Workflow.WebService.Description;

namespace Workflow.WebService.Ui;

/// <summary>
/// Every route with its parameters, its examples and a form that sends a request. The script is part of the package and
/// comes from this service; the policy lets the page ask this service alone.
/// </summary>
internal static class ApiPage
{
    public const string Address = "/ui/api";

    public static IEndpointConventionBuilder Map(IEndpointRouteBuilder routes) =>
        routes.MapScalarApiReference(Address, Configure)
            .WithMetadata(new HttpMethodMetadata([HttpMethods.Get, HttpMethods.Head]));

    private static void Configure(ScalarOptions options, HttpContext context)
    {
        var nonce = Convert.ToBase64String(RandomNumberGenerator.GetBytes(16));
        var headers = context.Response.Headers;
        headers.CacheControl = "no-store";
        headers["Referrer-Policy"] = "same-origin";

        // The package writes its styles into the page.
        headers.ContentSecurityPolicy = $"default-src 'none'; script-src 'self' 'nonce-{nonce}'; "
            + "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; "
            + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
        options.WithTitle("API - Workflow").WithFavicon("/ui/icon.svg").WithNonce(nonce)
            .WithOpenApiRoutePattern(ApiDescription.Address).AddHeaderContent(
                """<a href="/ui" style="display:block;padding:.5rem 1rem">Back to the overview</a>""");

        // Each of these asks another host.
        options.DisableDefaultFonts().DisableTelemetry().DisableAgent().DisableMcp().HideClientButton()
            .HideDeveloperTools();
    }
}
