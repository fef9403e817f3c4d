using System.Text.RegularExpressions;

namespace IntegrationTests.WebService;

/// <summary>The interactive page of the API.</summary>
[Trait("Category", "Integration")]
public sealed partial class ApiPageTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    [Fact]
    public async Task Every_script_of_the_page_comes_from_the_service()
    {
        using var response = await fixture.Http.GetAsync(new Uri("/ui/api/", UriKind.Relative), Cancel);
        var page = await response.Content.ReadAsStringAsync(Cancel);

        Assert.True(response.IsSuccessStatusCode, page);
        Assert.Contains("/openapi/v1.json", page, StringComparison.Ordinal);
        Assert.DoesNotContain("https://", page, StringComparison.Ordinal);
        var scripts = Script().Matches(page).Select(found => found.Groups["address"].Value).ToList();
        Assert.NotEmpty(scripts);
        foreach (var script in scripts)
        {
            var address = new Uri(new Uri(fixture.Service.BaseAddress, "/ui/api/"), script);
            Assert.Equal(fixture.Service.BaseAddress.Authority, address.Authority);
            using var found = await fixture.Http.GetAsync(address, Cancel);
            Assert.Equal("text/javascript", found.Content.Headers.ContentType?.MediaType);
        }
    }

    [Fact]
    public async Task Policy_allows_the_scripts_of_this_answer_alone()
    {
        var nonces = new HashSet<string>();
        for (var i = 0; i < 2; i++)
        {
            using var response = await fixture.Http.GetAsync(new Uri("/ui/api/", UriKind.Relative), Cancel);
            var page = await response.Content.ReadAsStringAsync(Cancel);
            var policy = Assert.Single(response.Headers.GetValues("Content-Security-Policy"));
            var nonce = Nonce().Match(page).Groups["value"].Value;

            Assert.NotEmpty(nonce);
            Assert.True(nonces.Add(nonce));
            Assert.Contains($"script-src 'self' 'nonce-{WebUtility.HtmlDecode(nonce)}'", policy,
                StringComparison.Ordinal);
            Assert.Contains("default-src 'none'", policy, StringComparison.Ordinal);
            Assert.Contains("connect-src 'self'", policy, StringComparison.Ordinal);
        }
    }

    [GeneratedRegex("(?:src=\"|from ')(?<address>[^\"']+\\.js)")]
    private static partial Regex Script();

    [GeneratedRegex("nonce=\"(?<value>[^\"]+)\"")]
    private static partial Regex Nonce();
}
