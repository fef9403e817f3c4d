using Workflow.Client;
using Workflow.Contracts.Bulk;

namespace IntegrationTests.WebService;

/// <summary>One action on many instances, by the API and by the pages.</summary>
[Trait("Category", "Integration")]
public sealed class BulkRouteTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    [Fact]
    public async Task Every_id_has_its_outcome()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var (waiting, over) = (await StartAsync(name, "k"), await StartAsync(name, "k"));
        await fixture.Client.CancelAsync(over, cancellationToken: Cancel);
        var nobody = Guid.CreateVersion7();

        var items = await SendAsync("/instances/cancel", "once", waiting, over, nobody, waiting);

        Assert.Equal(
            [(waiting, "done", null), (over, "unchanged", null), (nobody, "refused", "instance-not-found")], items);
        Assert.Equal(InstanceState.Cancelled, (await fixture.Client.FindInstanceAsync(waiting, Cancel))!.State);
    }

    [Fact]
    public async Task Repeated_request_retries_each_instance_once()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var (first, second) = (await StartAsync(name), await StartAsync(name));
        var key = SampleDefinitions.NewName("key");

        var items = await SendAsync("/instances/retry", key, first, second);
        var again = await SendAsync("/instances/retry", key, first, second);

        Assert.Equal([(first, "done", null), (second, "done", null)], items);
        Assert.Equal([(first, "unchanged", null), (second, "unchanged", null)], again);
        var history = await fixture.Client.GetHistoryAsync(first, Cancel);
        Assert.Single(history, line => line.Event == "retried");
    }

    [Fact]
    public async Task Client_acts_on_all_that_match_once()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var (failed, other, waiting) = (await StartAsync(name), await StartAsync(name), await StartAsync(name, "k"));
        var filter = new InstanceFilter { Definition = name };
        var key = SampleDefinitions.NewName("key");

        var first = await fixture.Client.RetryManyAsync(filter, limit: 1, key, Cancel);
        var byIds = await fixture.Client.RetryManyAsync([failed, other], key, Cancel);
        var cancelled = await fixture.Client.CancelManyAsync(
            new InstanceFilter { DefinitionPrefix = name }, idempotencyKey: key, cancellationToken: Cancel);
        var nothing = await fixture.Client.CancelManyAsync(filter, cancellationToken: Cancel);
        var again = await fixture.Client.CancelManyAsync([waiting, Guid.CreateVersion7()], key, Cancel);

        Assert.Equal([new(failed, BulkOutcome.Done)], first.Items);
        Assert.Equal([new(failed, BulkOutcome.Unchanged), new(other, BulkOutcome.Done)], byIds.Items);
        Assert.Equal([new(waiting, BulkOutcome.Done)], cancelled.Items);
        Assert.Empty(nothing.Items);
        Assert.Equal(
            [(BulkOutcome.Unchanged, null), (BulkOutcome.Refused, "instance-not-found")],
            again.Items.Select(item => (item.Outcome, item.Code)));
        var history = await fixture.Client.GetHistoryAsync(failed, Cancel);
        Assert.Single(history, line => line.Event == "retried");
    }

    [Fact]
    public async Task Client_refuses_a_filter_of_another_state()
    {
        var filter = new InstanceFilter { State = InstanceState.Completed };

        var retry = await Assert.ThrowsAsync<ArgumentException>(
            () => fixture.Client.RetryManyAsync(filter, cancellationToken: Cancel));
        var cancel = await Assert.ThrowsAsync<ArgumentException>(
            () => fixture.Client.CancelManyAsync(filter, cancellationToken: Cancel));
        var tooMany = await Assert.ThrowsAsync<WorkflowApiException>(
            () => fixture.Client.ReplayManyAsync(new DeadLetterFilter(), limit: 1_001, cancellationToken: Cancel));
        var replayed = await fixture.Client.ReplayManyAsync([Guid.CreateVersion7()], "key", Cancel);

        Assert.All([retry, cancel], e => Assert.Contains("Completed", e.Message, StringComparison.Ordinal));
        Assert.Contains("1001", tooMany.Message, StringComparison.Ordinal);
        Assert.Equal("dead-letter-not-found", Assert.Single(replayed.Items).Code);
    }

    [Theory]
    [InlineData("""{}"""), InlineData("""{"ids":[]}"""), InlineData("""{"ids":["seven"]}""")]
    [InlineData("""{"ids":"all"}"""), InlineData("""{"ids":[1]}"""), InlineData("""{"filter":{}}""")]
    public async Task Body_without_ids_is_refused(string body)
    {
        using var response = await fixture.Http.PostAsync("/dead-letters/replay", body, Cancel);

        await Answer.IsProblemAsync(response, 400, "body-invalid", "ids");
    }

    [Fact]
    public async Task More_ids_than_the_limit_are_refused()
    {
        var ids = Enumerable.Range(0, 1_001).Select(_ => Guid.CreateVersion7());

        using var response =
            await fixture.Http.PostAsync("/instances/cancel", JsonSerializer.Serialize(new { ids }), Cancel);

        await Answer.IsProblemAsync(response, 400, "body-invalid", "1 to 1000 ids");
    }

    [Theory]
    [InlineData("retry", "failed", "retried"), InlineData("cancel", "waiting", "cancelled")]
    public async Task Page_asks_before_it_acts_on_all_that_match(string action, string state, string done)
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        var ids = new[] { await StartAsync(name), await StartAsync(name, "k"), await StartAsync(name) };
        var list = await fixture.Http.GetStringAsync(
            new Uri($"/ui/instances?definition={name}", UriKind.Relative), Cancel);

        var asked = await fixture.Http.GetStringAsync(
            new Uri($"/ui/instances/{action}?definition={name}", UriKind.Relative), Cancel);
        var sent = System.Text.RegularExpressions.Regex.Match(asked, "name=\"ids\" value=\"([^\"]*)\"").Groups[1].Value;
        using var response = await PageTests.PostAsync(
            fixture.Http, $"/ui/instances/{action}", [("ids", sent), ("once", name)]);

        var concerned = state == "failed" ? new[] { ids[0], ids[2] } : [ids[1]];
        Assert.Contains($"/ui/instances/{action}?definition={name}", list, StringComparison.Ordinal);
        Assert.Empty(Markup.Faults(asked));
        Assert.Equal(concerned.Order(), sent.Split(' ').Select(Guid.Parse).Order());
        Assert.Contains(
            $"{concerned.Length} of {concerned.Length} are done.", await PageTests.IsPageAsync(response, 200),
            StringComparison.Ordinal);
        foreach (var id in ids)
        {
            var history = await fixture.Client.GetHistoryAsync(id, Cancel);
            Assert.Equal(concerned.Contains(id), history.Any(line => line.Event == done));
        }
    }

    [Fact]
    public async Task Form_with_anything_but_ids_is_refused()
    {
        using var response = await PageTests.PostAsync(fixture.Http, "/ui/instances/cancel", [("ids", "all")]);

        Assert.Contains("&#39;all&#39;", await PageTests.IsPageAsync(response, 400), StringComparison.Ordinal);
    }

    /// <summary>Waits for a signal of the key; fails at once without one.</summary>
    private async Task<Guid> StartAsync(string definition, string? key = null)
    {
        var input = key is null ? (JsonElement?)null : JsonSerializer.SerializeToElement(new { key });
        var started = await fixture.Client.StartAsync(
            new StartInstance { Definition = definition, Input = input }, cancellationToken: Cancel);
        return started.Id;
    }

    private async Task<IReadOnlyList<(Guid Id, string Outcome, string? Code)>> SendAsync(
        string path, string key, params IEnumerable<Guid> ids)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, path)
        {
            Content = Answer.Json(JsonSerializer.Serialize(new { ids })),
        };
        request.Headers.Add("Idempotency-Key", key);
        using var response = await fixture.Http.SendAsync(request, Cancel);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        using var report = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancel));
        return
        [
            .. report.RootElement.GetProperty("items").EnumerateArray().Select(item => (
                item.GetProperty("id").GetGuid(), item.GetProperty("outcome").GetString()!,
                item.TryGetProperty("code", out var code) ? code.GetString() : null)),
        ];
    }
}
