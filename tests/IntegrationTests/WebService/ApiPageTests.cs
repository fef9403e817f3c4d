using System.IO.Compression;
using System.Text.RegularExpressions;

namespace IntegrationTests.WebService;

/// <summary>The interactive page of the API.</summary>
[Trait("Category", "Integration")]
public sealed partial class ApiPageTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    [Fact]
    public async Task Every_script_of_the_page_comes_from_the_service()
    {
        using var response = await fixture.Http.GetAsync(new Uri("/ui/api", UriKind.Relative), Cancel);
        var page = await PageTests.IsPageAsync(response, 200);
        var policy = Assert.Single(response.Headers.GetValues("Content-Security-Policy"));

        Assert.Contains("default-src 'none'; script-src 'self';", policy, StringComparison.Ordinal);
        Assert.Contains("connect-src 'self';", policy, StringComparison.Ordinal);
        var scripts = Script().Matches(page).Select(found => found.Groups["address"].Value).ToList();
        Assert.Equal(["/ui/scalar.js", "/ui/api.js"], scripts);
        var read = new List<string>();
        foreach (var script in scripts)
        {
            using var found = await fixture.Http.GetAsync(new Uri(script, UriKind.Relative), Cancel);
            Assert.Equal("text/javascript", found.Content.Headers.ContentType?.MediaType);
            read.Add(await found.Content.ReadAsStringAsync(Cancel));
        }

        Assert.Contains("createApiReference", read[0], StringComparison.Ordinal);
        Assert.Contains("'/openapi/v1.json'", read[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Script_is_the_same_with_and_without_compression()
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "/ui/scalar.js");
        request.Headers.Add("Accept-Encoding", "br, gzip");
        using var packed = await fixture.Http.SendAsync(request, Cancel);
        var plain = await fixture.Http.GetByteArrayAsync(new Uri("/ui/scalar.js", UriKind.Relative), Cancel);

        Assert.Equal("gzip", Assert.Single(packed.Content.Headers.ContentEncoding));
        await using var stream = new GZipStream(
            await packed.Content.ReadAsStreamAsync(Cancel), CompressionMode.Decompress);
        using var unpacked = new MemoryStream();
        await stream.CopyToAsync(unpacked, Cancel);
        Assert.True(unpacked.GetBuffer().AsSpan(0, (int)unpacked.Length).SequenceEqual(plain));
        using var again = new HttpRequestMessage(HttpMethod.Get, "/ui/scalar.js");
        again.Headers.Add("Accept-Encoding", "gzip");
        again.Headers.IfNoneMatch.Add(packed.Headers.ETag!);
        using var kept = await fixture.Http.SendAsync(again, Cancel);
        Assert.Equal(HttpStatusCode.NotModified, kept.StatusCode);
    }

    [GeneratedRegex("<script src=\"(?<address>[^\"]+)\"")]
    private static partial Regex Script();
}
