using System.Security.Cryptography;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Workflow.WebService.Activities;

namespace IntegrationTests.WebService;

/// <summary>Who may use the service, and whom its activities may call.</summary>
[Trait("Category", "Integration")]
public sealed class AccessTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    private const string Full = "full-4711-0123456789abcdef";
    private const string ReadOnly = "read-4711-0123456789abcdef";

    [Fact]
    public async Task Every_route_but_health_requires_a_key()
    {
        var hash = Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(ReadOnly)));
        await using var service = await StartAsync(("Access:Keys:0", Full), ("Access:Keys:1", "read:sha256:" + hash));
        using var http = new HttpClient { BaseAddress = service.BaseAddress };

        foreach (var path in new[]
        {
            "/instances", "/definitions", "/events", "/metrics", "/openapi/v1.json", "/nowhere", "/health/../instances",
        })
        {
            foreach (var key in new[] { null, "wrong", Full[..^1], Full + "x", hash })
            {
                using var refused = await SendAsync(http, HttpMethod.Get, path, key);
                await Answer.IsProblemAsync(refused, 401, "key-required", "X-Api-Key");
                Assert.NotEmpty(refused.Headers.WwwAuthenticate);
            }
        }

        using var read = await SendAsync(http, HttpMethod.Get, "/instances", ReadOnly);
        using var written = await SendAsync(
            http, HttpMethod.Post, "/definitions", Full, SampleDefinitions.Linear("written"));
        using var forbidden = await SendAsync(
            http, HttpMethod.Post, "/definitions", ReadOnly, SampleDefinitions.Linear("forbidden"));
        using var found = await SendAsync(http, HttpMethod.Get, "/definitions", ReadOnly);
        using var live = await SendAsync(http, HttpMethod.Get, "/health/live", null);
        using var ready = await SendAsync(http, HttpMethod.Get, "/health/ready", null);

        Assert.All(
            [read, written, found, live, ready], response => Assert.True(response.IsSuccessStatusCode, $"{response}"));
        await Answer.IsProblemAsync(forbidden, 403, "key-read-only", "POST /definitions");
        Assert.DoesNotContain("forbidden", await found.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
        Assert.Equal("nosniff", Assert.Single(read.Headers.GetValues("X-Content-Type-Options")));
    }

    [Fact]
    public async Task Description_has_the_header_of_the_keys()
    {
        await using var service = await StartAsync(("Access:Keys:0", Full));
        using var http = new HttpClient { BaseAddress = service.BaseAddress };

        using var guarded = await SendAsync(http, HttpMethod.Get, "/openapi/v1.json", Full);
        using var open = await SendAsync(fixture.Http, HttpMethod.Get, "/openapi/v1.json", null);

        using var description = JsonDocument.Parse(await guarded.Content.ReadAsStringAsync(Cancel));
        var scheme = Assert.Single(description.RootElement.GetProperty("components").GetProperty("securitySchemes")
            .EnumerateObject());
        Assert.Equal(("apiKey", "header", "X-Api-Key"), (
            scheme.Value.GetProperty("type").GetString(), scheme.Value.GetProperty("in").GetString(),
            scheme.Value.GetProperty("name").GetString()));
        Assert.True(description.RootElement.GetProperty("security")[0].TryGetProperty(scheme.Name, out _));
        Assert.DoesNotContain(
            "securitySchemes", await open.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Service_without_keys_refuses_foreign_host_names()
    {
        var http = fixture.Http;

        foreach (var path in new[]
            { "/instances", "/definitions", "/events", "/metrics", "/openapi/v1.json", "/nowhere" })
        {
            using var refused = await SendAsync(http, HttpMethod.Get, path, null, host: "rebound.example");
            await Answer.IsProblemAsync(refused, 403, "foreign-name", "rebound.example", "Access:Keys");
        }

        using var started = await SendAsync(http, HttpMethod.Post, "/instances", null, "{}", "rebound.example:80");
        await Answer.IsProblemAsync(started, 403, "foreign-name", "rebound.example");
        using var probed = await SendAsync(http, HttpMethod.Get, "/health/live", null, host: "rebound.example");
        Assert.Equal(HttpStatusCode.OK, probed.StatusCode);
        foreach (var host in new[] { "127.0.0.1", "localhost", "LOCALHOST:80", "workflow.localhost", "[::1]:5080" })
        {
            using var answered = await SendAsync(http, HttpMethod.Get, "/instances", null, host: host);
            Assert.True(answered.IsSuccessStatusCode, $"{host}: {answered}");
        }
    }

    [Fact]
    public async Task Page_of_another_site_changes_nothing_without_keys()
    {
        var (service, http) = (fixture.Service, fixture.Http);
        var name = await service.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var input = JsonSerializer.SerializeToElement(new { key = "k" });
        var started = await service.Client.StartAsync(
            new StartInstance { Definition = name, Input = input }, null, Cancel);

        foreach (var (header, value) in new[]
        {
            ("Origin", "http://evil.example"), ("Origin", "null"),
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
        })
        {
            using var refused = await CancelAsync(header, value);
            await Answer.IsProblemAsync(refused, 403, "foreign-page", service.BaseAddress.Authority);
        }

        Assert.Equal(InstanceState.Waiting, (await service.Client.FindInstanceAsync(started.Id, Cancel))!.State);
        using var own = await CancelAsync("Origin", service.BaseAddress.GetLeftPart(UriPartial.Authority));
        Assert.True(own.IsSuccessStatusCode, $"{own}");

        async Task<HttpResponseMessage> CancelAsync(string header, string value)
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, $"/instances/{started.Id}/cancel");
            request.Headers.Add(header, value);
            return await http.SendAsync(request, Cancel);
        }
    }

    [Fact]
    public async Task Service_on_a_public_address_requires_a_key()
    {
        var (exitCode, output) = await WebServiceProcess.RunToExitAsync(
            new WebServiceOptions
                { Settings = new Dictionary<string, string> { ["Kestrel:Endpoints:Http:Url"] = "http://0.0.0.0:0" } },
            Cancel);

        Assert.Equal(2, exitCode);
        Assert.Contains("http://0.0.0.0:0", output, StringComparison.Ordinal);
        Assert.Contains("Access__Keys__0", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Http_activity_calls_only_listed_addresses()
    {
        await using var listed = await TargetAsync();
        await using var other = await TargetAsync();
        var (allowed, hidden) = (new Uri(listed.Urls.First()), new Uri(other.Urls.First()));
        await using var service = await StartAsync(("Activities:Http:Allow:0", $"127.0.0.1:{allowed.Port}"));

        var called = await CallAsync(service, new Uri(allowed, "/answer"));
        var refused = await CallAsync(service, new Uri(hidden, "/answer"));
        var redirected = await CallAsync(
            service, new Uri(allowed, $"/redirect?to={Uri.EscapeDataString(new Uri(hidden, "/answer").AbsoluteUri)}"));

        Assert.Equal(InstanceState.Completed, called.State);
        foreach (var instance in new[] { refused, redirected })
        {
            Assert.Equal(InstanceState.Failed, instance.State);
            Assert.Contains($"may not call 127.0.0.1:{hidden.Port}", instance.Error?.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Http_activity_calls_no_loopback_address_unless_it_is_listed()
    {
        await using var target = await TargetAsync();
        var port = new Uri(target.Urls.First()).Port;

        foreach (var host in new[] { "127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433" })
        {
            var instance = await CallAsync(fixture.Service, new Uri($"http://{host}:{port}/answer"));
            Assert.Equal(InstanceState.Failed, instance.State);
            Assert.Contains("Activities:Http:Allow", instance.Error?.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("8.8.8.8", true)]
    [InlineData("2606:4700:4700::1111", true)]
    [InlineData("0.0.0.0", false)]
    [InlineData("10.1.2.3", false)]
    [InlineData("100.64.0.1", false)]
    [InlineData("169.254.169.254", false)]
    [InlineData("172.31.255.255", false)]
    [InlineData("172.32.0.1", true)]
    [InlineData("192.168.1.1", false)]
    [InlineData("255.255.255.255", false)]
    [InlineData("::1", false)]
    [InlineData("::ffff:10.0.0.1", false)]
    [InlineData("::ffff:8.8.8.8", true)]
    [InlineData("64:ff9b::a00:1", false)]
    [InlineData("fd00::1", false)]
    [InlineData("fe80::1", false)]
    public void Addresses_are_public_or_not(string address, bool isPublic) =>
        Assert.Equal(isPublic, HttpTargets.IsPublic(IPAddress.Parse(address)));

    private static Task<WebServiceProcess> StartAsync(params (string Key, string Value)[] settings) =>
        WebServiceProcess.StartAsync(
            new WebServiceOptions { Settings = settings.ToDictionary(pair => pair.Key, pair => pair.Value) },
            Cancel);

    private static async Task<HttpResponseMessage> SendAsync(
        HttpClient http, HttpMethod method, string path, string? key, string? json = null, string? host = null)
    {
        using var request = new HttpRequestMessage(method, path) { Headers = { Host = host } };
        if (key is not null)
        {
            request.Headers.Add("X-Api-Key", key);
        }

        request.Content = json is null ? null : Answer.Json(json);
        return await http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Cancel);
    }

    private static Task<WebApplication> TargetAsync() => LocalServer.StartAsync(app =>
    {
        app.MapGet("/answer", () => Results.Json(new { answer = 42 }));
        app.MapGet("/redirect", (string to) => Results.Redirect(to));
    });

    private static async Task<InstanceView> CallAsync(WebServiceProcess service, Uri url)
    {
        var name = await service.Client.RegisterNewAsync(name => SampleDefinitions.Step(
            name,
            $$"""{ "type": "invoke", "activity": "http", "input": { "url": "{{url.OriginalString}}" }, "result": "r", "next": "done" }"""));
        var started = await service.Client.StartAsync(new StartInstance { Definition = name }, null, Cancel);
        return await Eventually.BecomesAsync(
            async () => (await service.Client.FindInstanceAsync(started.Id, Cancel))!,
            instance => instance.State is InstanceState.Completed or InstanceState.Failed,
            instance => $"the state {instance.State}");
    }
}
