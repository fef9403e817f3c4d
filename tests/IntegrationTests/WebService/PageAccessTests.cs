using System.Security.Cryptography;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Http;
using Workflow.WebService.Access;
using Workflow.WebService.Configuration;

namespace IntegrationTests.WebService;

/// <summary>Who may look at the pages, and who may act.</summary>
[Trait("Category", "Integration")]
public sealed class PageAccessTests
{
    private const string Full = "full-4711-0123456789abcdef";
    private const string ReadOnly = "read-4711-0123456789abcdef";

    [Fact]
    public async Task Session_of_a_browser_does_not_hold_the_key()
    {
        await using var service = await StartAsync(("Access:Keys:0", Full), ("Access:Keys:1", "read:" + ReadOnly));
        using var stranger = NewBrowser(service);
        using var refused = await stranger.GetAsync(new Uri("/ui/instances?state=failed", UriKind.Relative), Cancel);
        var form = await PageTests.IsPageAsync(refused, 401);
        Assert.Contains("name=\"next\" value=\"/ui/instances?state=failed\"", form, StringComparison.Ordinal);
        foreach (var path in new[]
        {
            "/ui", "/ui/events", "/ui/view.js", "/ui/api", "/ui/scalar.js", "/ui/nowhere", "/UI/load", "/instances",
        })
        {
            using var asked = await stranger.GetAsync(new Uri(path, UriKind.Relative), Cancel);
            Assert.Equal(HttpStatusCode.Unauthorized, asked.StatusCode);
        }

        using var wrong = await PageTests.PostAsync(stranger, "/ui/sign-in", [("key", Full + "x")]);
        Assert.Contains(
            "The service does not know this key.", await PageTests.IsPageAsync(wrong, 403), StringComparison.Ordinal);
        using var foreign = await PageTests.PostAsync(
            stranger, "/ui/sign-in", [("key", Full)], request => request.Headers.Add("Origin", "http://evil.example"));
        await PageTests.IsPageAsync(foreign, 403);

        using var signedIn =
            await PageTests.PostAsync(stranger, "/ui/sign-in", [("key", Full), ("next", "//evil.example/")]);
        Assert.Equal(
            (HttpStatusCode.SeeOther, "/ui"), (signedIn.StatusCode, signedIn.Headers.Location?.OriginalString));
        var cookie = Assert.Single(signedIn.Headers.GetValues("Set-Cookie"));
        Assert.DoesNotContain(Full, cookie, StringComparison.Ordinal);
        Assert.All(["httponly", "samesite=strict", "path=/"],
            part => Assert.Contains(part, cookie, StringComparison.OrdinalIgnoreCase));

        // A session looks everywhere and acts by forms alone: no page of somebody else has it send JSON.
        using var own = NewBrowser(service, cookie);
        using var page = await own.GetAsync(new Uri("/ui", UriKind.Relative), Cancel);
        Assert.Contains("Sign out", await PageTests.IsPageAsync(page, 200), StringComparison.Ordinal);
        using var json = await own.GetAsync(new Uri("/instances", UriKind.Relative), Cancel);
        Assert.Equal(HttpStatusCode.OK, json.StatusCode);
        using var posted = await own.PostAsync("/definitions", SampleDefinitions.Linear("posted"), Cancel);
        await Answer.IsProblemAsync(posted, 401, "key-required");

        using var signedOut = await PageTests.PostAsync(own, "/ui/sign-out", []);
        Assert.Equal(HttpStatusCode.SeeOther, signedOut.StatusCode);
        using var over = await own.GetAsync(new Uri("/ui", UriKind.Relative), Cancel);
        await PageTests.IsPageAsync(over, 401);
    }

    [Fact]
    public async Task Session_is_valid_on_every_node_with_the_same_key()
    {
        await using var one = await StartAsync(("Access:Keys:0", Full));
        await using var other = await StartAsync(("Access:Keys:0", "read:" + ReadOnly), ("Access:Keys:1", Full));
        await using var stranger = await StartAsync(("Access:Keys:0", Full + "x"), ("Access:Keys:1", HashOf(Full)));
        using var nobody = NewBrowser(one);
        using var signedIn = await PageTests.PostAsync(nobody, "/ui/sign-in", [("key", Full)]);
        var cookie = Assert.Single(signedIn.Headers.GetValues("Set-Cookie"));

        Assert.Equal([HttpStatusCode.OK, HttpStatusCode.OK], [await LookAsync(one), await LookAsync(other)]);
        Assert.Equal(HttpStatusCode.Unauthorized, await LookAsync(stranger));

        using var browser = NewBrowser(other, cookie);
        using var signedOut = await PageTests.PostAsync(browser, "/ui/sign-out", []);
        Assert.Contains(
            "max-age=0", Assert.Single(signedOut.Headers.GetValues("Set-Cookie")), StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.Unauthorized, await LookAsync(other));

        async Task<HttpStatusCode> LookAsync(WebServiceProcess node)
        {
            using var http = NewBrowser(node, cookie);
            using var response = await http.GetAsync(new Uri("/ui", UriKind.Relative), Cancel);
            return response.StatusCode;
        }
    }

    [Fact]
    public void Expired_or_changed_session_allows_nothing()
    {
        var time = new ManualTime();
        var (settings, after) = (Keys(Full, "read:" + ReadOnly), Keys("read:" + Full));
        var cookie = SignIn(settings, Full);

        Assert.Equal(AccessLevel.Full, Level(settings, cookie));
        Assert.Equal(AccessLevel.Read, Level(settings, SignIn(settings, ReadOnly)));
        Assert.Equal(AccessLevel.Read, Level(after, cookie));
        Assert.Equal(AccessLevel.None, Level(Keys(HashOf(Full)), cookie));
        var value = cookie.IndexOf('=', StringComparison.Ordinal) + 1;
        Assert.All(Enumerable.Range(value, cookie.Length - value - 1), place => Assert.Equal(
            AccessLevel.None,
            Level(settings, $"{cookie[..place]}{(cookie[place] == 'A' ? 'B' : 'A')}{cookie[(place + 1)..]}")));
        Assert.All([cookie[..^1], cookie + "A", cookie[..value], cookie[..value] + "!"],
            broken => Assert.Equal(AccessLevel.None, Level(settings, broken)));
        time.Advance(Sessions.Lifetime - TimeSpan.FromSeconds(1));
        Assert.Equal(AccessLevel.Full, Level(settings, cookie));
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(AccessLevel.None, Level(settings, cookie));

        string SignIn(ServiceSettings of, string key)
        {
            var context = new DefaultHttpContext();
            new Sessions(of, time).Begin(context, of.AccessKeys.Find(key)!);
            return Assert.Single(context.Response.Headers.SetCookie)!.Split(';')[0];
        }

        AccessLevel Level(ServiceSettings of, string sent)
        {
            var context = new DefaultHttpContext();
            context.Request.Headers.Cookie = sent;
            return new Sessions(of, time).LevelOf(context);
        }

        static ServiceSettings Keys(params string[] keys) => new() { AccessKeys = AccessKeys.Read(keys, Assert.Fail) };
    }

    [Fact]
    public async Task Read_only_key_looks_and_does_not_act()
    {
        await using var service = await StartAsync(("Access:Keys:0", Full), ("Access:Keys:1", "read:" + ReadOnly));
        using var program = NewBrowser(service);
        program.DefaultRequestHeaders.Add("X-Api-Key", Full);
        using var registered = await program.PostAsync("/definitions", SampleDefinitions.Waiting("waiting"), Cancel);
        using var started =
            await program.PostAsync("/instances", """{"definition":"waiting","input":{"key":"k"}}""", Cancel);
        var id = JsonDocument.Parse(await started.Content.ReadAsStringAsync(Cancel)).RootElement.GetProperty("id")
            .GetGuid();
        using var stranger = NewBrowser(service);
        using var signedIn =
            await PageTests.PostAsync(stranger, "/ui/sign-in", [("key", ReadOnly), ("next", $"/ui/instances/{id}")]);
        using var reader = NewBrowser(service, Assert.Single(signedIn.Headers.GetValues("Set-Cookie")));

        using var looked = await reader.GetAsync(signedIn.Headers.Location, Cancel);
        using var acted = await PageTests.PostAsync(reader, $"/ui/instances/{id}/cancel", []);
        using var lookedByKey = await program.GetAsync(new Uri($"/ui/instances/{id}", UriKind.Relative), Cancel);

        var page = await PageTests.IsPageAsync(looked, 200);
        Assert.Contains("read only", page, StringComparison.Ordinal);
        Assert.Equal(
            "/ui/sign-out", Assert.Single(Regex.Matches(page, "method=\"post\" action=\"([^\"]*)\"")).Groups[1].Value);
        Assert.Contains("key-read-only", await PageTests.IsPageAsync(acted, 403), StringComparison.Ordinal);
        var full = await PageTests.IsPageAsync(lookedByKey, 200);
        Assert.Contains($"/ui/instances/{id}/cancel", full, StringComparison.Ordinal);
        Assert.Contains(">waiting</span>", full, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Full, "false", true), InlineData(ReadOnly, "false", false), InlineData(ReadOnly, "true", true)]
    public async Task Task_shows_its_variables_to_those_who_may_act(string key, string forReadKeys, bool shown)
    {
        await using var service = await StartAsync(
            ("Access:Keys:0", Full), ("Access:Keys:1", "read:" + ReadOnly),
            ("Ui:ShowVariablesToReadKeys", forReadKeys));
        using var program = NewBrowser(service);
        program.DefaultRequestHeaders.Add("X-Api-Key", Full);
        using var registered = await program.PostAsync(
            "/definitions", SampleDefinitions.Step("asking", """{ "type": "task", "next": "done" }"""), Cancel);
        using var started = await program.PostAsync(
            "/instances", """{"definition":"asking","input":{"amount":"4711 EUR"}}""", Cancel);
        var tasks = JsonDocument.Parse(await program.GetStringAsync(new Uri("/tasks", UriKind.Relative), Cancel));
        var task = Assert.Single(tasks.RootElement.GetProperty("items").EnumerateArray()).GetProperty("id");
        using var reader = NewBrowser(service);
        reader.DefaultRequestHeaders.Add("X-Api-Key", key);

        var page = await reader.GetStringAsync(new Uri($"/ui/tasks/{task}", UriKind.Relative), Cancel);

        Assert.Equal(shown, page.Contains("4711 EUR", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Load_of_the_lanes_is_shown_for_each_and_adds_up()
    {
        await using var service = await StartAsync(("WorkflowBackend:Lanes", "4"));
        var name = await service.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        for (var i = 0; i < 20; i++)
        {
            var key = SampleDefinitions.NewName();
            await service.Client.StartAsync(
                new StartInstance
                    { Definition = name, CorrelationKey = key, Input = JsonSerializer.SerializeToElement(new { key }) },
                cancellationToken: Cancel);
        }

        using var http = NewBrowser(service);
        var page = await http.GetStringAsync(new Uri("/ui/load", UriKind.Relative), Cancel);

        var heads =
            Regex.Matches(page, "<th scope=\"col\"[^>]*>([^<]*)</th>").Select(match => match.Groups[1].Value).ToList();
        var lanes = Regex.Matches(page, "<tr><th scope=\"row\">(\\d)</th>(.*?)</tr>")
            .Select(row => Regex.Matches(row.Groups[2].Value, ">([0-9.]+)</td>")
            .Select(cell => double.Parse(cell.Groups[1].Value, System.Globalization.CultureInfo.InvariantCulture))
            .ToList()).ToList();
        Assert.Equal(4, lanes.Count);
        Assert.Equal(20, SumOf("Live instances"));
        Assert.Equal(0, SumOf("Pending commands"));
        Assert.Equal(await http.MetricAsync(service.BaseAddress, "workflow_flushes_total"), SumOf("Flushes"));

        double SumOf(string column) => lanes.Sum(lane => lane[heads.IndexOf(column) - 1]);
    }

    [Fact]
    public async Task Pages_can_be_left_out()
    {
        await using var service = await StartAsync(("Ui:Enabled", "false"));
        using var http = NewBrowser(service);

        foreach (var path in new[] { "/ui", "/ui/api", "/ui/scalar.js" })
        {
            using var response = await http.GetAsync(new Uri(path, UriKind.Relative), Cancel);
            await Answer.IsProblemAsync(response, 404, "route-not-found", path);
        }
    }

    private static string HashOf(string key) =>
        "sha256:" + Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(key)));

    private static HttpClient NewBrowser(WebServiceProcess service, string? cookie = null)
    {
        var handler = new HttpClientHandler { UseCookies = false, AllowAutoRedirect = false };
        var http = new HttpClient(handler) { BaseAddress = service.BaseAddress };
        if (cookie is not null)
        {
            http.DefaultRequestHeaders.Add("Cookie", cookie.Split(';')[0]);
        }

        return http;
    }

    private static Task<WebServiceProcess> StartAsync(params (string Key, string Value)[] settings) =>
        WebServiceProcess.StartAsync(
        new WebServiceOptions { Settings = settings.ToDictionary(setting => setting.Key, setting => setting.Value) },
        Cancel);
}
