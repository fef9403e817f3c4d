using System.IO.Compression;
using Scalar.AspNetCore;
using Workflow.WebService.Description;
using Workflow.WebService.Responses;

namespace Workflow.WebService.Ui;

/// <summary>
/// Every route with its parameters, its examples and a form that sends a request, by the script that is part of the
/// package Scalar.AspNetCore. The package's own page has no language and scripts of other hosts; this one has neither
/// fault, and its policy lets it ask this service alone.
/// </summary>
internal static class ApiPage
{
    public const string Address = "/ui/api";

    // The script writes its styles into the page.
    private const string Policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        + "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; "
        + "frame-ancestors 'none'";

    private const string Content = $$"""
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>API - Workflow</title>
        <link rel="icon" href="/ui/icon.svg" type="image/svg+xml">
        <style>
        .top { display: flex; gap: 16px; align-items: baseline; padding: 8px 16px; font-family: system-ui, sans-serif; }
        .top > h1 { font-size: 17px; margin: 0; }
        </style>
        <script src="/ui/scalar.js" defer></script>
        <script src="/ui/api.js" defer></script>
        </head>
        <body>
        <nav class="top" aria-label="Pages"><h1>API</h1><a href="/ui">Overview</a></nav>
        <div id="api"></div>
        <noscript>This page needs scripts. The <a href="{{ApiDescription.Address}}">description of the API</a> does
        not.</noscript>
        </body>
        </html>

        """;

    public static void Map(Pages pages)
    {
        pages.Get(Address, WriteAsync);
        pages.Get("/ui/api.js", context => StaticFile.WriteAsync(context, "api.js", "text/javascript"));
        pages.Get("/ui/scalar.js", WriteScriptAsync);
    }

    private static Task WriteAsync(HttpContext context)
    {
        var headers = context.Response.Headers;
        headers.ContentSecurityPolicy = Policy;
        headers.CacheControl = "no-store";
        headers["Referrer-Policy"] = "same-origin";
        return JsonResponse.WriteTextAsync(context, StatusCodes.Status200OK, "text/html; charset=utf-8", Content);
    }

    /// <summary>The package holds its script compressed by gzip, as browsers take it.</summary>
    private static async Task WriteScriptAsync(HttpContext context)
    {
        var package = typeof(ScalarOptions).Assembly;
        var isPacked = context.Request.GetTypedHeaders().AcceptEncoding
            .Any(coding => coding.Value == "gzip" && coding.Quality is null or > 0);
        context.Response.Headers.Vary = "Accept-Encoding";
        if (EntityTag.IsKnown(context, EntityTag.Of($"{package.ManifestModule.ModuleVersionId} {isPacked}")))
        {
            return;
        }

        context.Response.ContentType = "text/javascript; charset=utf-8";
        await using var packed = package.GetManifestResourceStream("ScalarStaticAssets.scalar.js")
            ?? throw new InvalidOperationException($"{package.FullName} has no script.");
        if (isPacked)
        {
            context.Response.Headers.ContentEncoding = "gzip";
            context.Response.ContentLength = packed.Length;
            await packed.CopyToAsync(context.Response.Body, context.RequestAborted);
            return;
        }

        await using var unpacked = new GZipStream(packed, CompressionMode.Decompress);
        await unpacked.CopyToAsync(context.Response.Body, context.RequestAborted);
    }
}
