using System.Data.Common;
using System.Reflection;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.Oracle.Driver;

/// <summary>
/// Oracle's driver behind the provider model of the base library, and by name the four properties that model has no
/// word for: parameters are bound by their position unless set otherwise, a string is a VARCHAR2 of at most 32,767
/// bytes, and each CLOB that is read costs a round trip.
/// </summary>
internal sealed class OracleDriver
{
    private const string FactoryType = "Oracle.ManagedDataAccess.Client.OracleClientFactory, Oracle.ManagedDataAccess";

    private readonly DbProviderFactory _factory;
    private readonly PropertyInfo _bindByName;
    private readonly PropertyInfo _initialLobFetchSize;
    private readonly PropertyInfo _type;
    private readonly object _clob;

    private OracleDriver(DbProviderFactory factory)
    {
        _factory = factory;
        using var command = NotNull(factory.CreateCommand());
        _bindByName = Property(command.GetType(), "BindByName");
        _initialLobFetchSize = Property(command.GetType(), "InitialLOBFetchSize");
        _type = Property(NotNull(factory.CreateParameter()).GetType(), "OracleDbType");
        _clob = Enum.Parse(_type.PropertyType, "Clob");
    }

    /// <summary>Whether the driver lies beside this assembly.</summary>
    public static bool IsPresent => Type.GetType(FactoryType, throwOnError: false) is not null;

    /// <summary>The driver over a factory, or else the one that lies beside this assembly.</summary>
    /// <exception cref="StoreUnavailableException">
    /// The driver was not found; the message says how to install it.
    /// </exception>
    public static OracleDriver Load(DbProviderFactory? factory = null)
    {
        factory ??= Type.GetType(FactoryType, throwOnError: false)?.GetField(
            "Instance", BindingFlags.Public | BindingFlags.Static)
            ?.GetValue(null) as DbProviderFactory;
        return factory is not null
            ? new(factory)
            : throw new StoreUnavailableException(
                "Oracle's driver is not part of this build: Oracle.ManagedDataAccess.dll cannot be loaded. Build with "
                    + "-p:Oracle=true, which adds the package Oracle.ManagedDataAccess.Core, or use another provider.",
                outcomeUnknown: false);
    }

    public DbConnection Connection(string connectionString)
    {
        var connection = NotNull(_factory.CreateConnection());
        connection.ConnectionString = connectionString;
        return connection;
    }

    public DbCommand Command(DbConnection connection, string text, TimeSpan limit, params ReadOnlySpan<Bind> binds)
    {
        var command = connection.CreateCommand();
        command.CommandText = text;
        command.CommandTimeout = (int)Math.Ceiling(limit.TotalSeconds);
        _bindByName.SetValue(command, true);
        _initialLobFetchSize.SetValue(command, -1);
        foreach (var bind in binds)
        {
            var parameter = command.CreateParameter();
            bind.Fill(parameter);
            if (bind.IsDocument)
            {
                _type.SetValue(parameter, _clob);
            }

            command.Parameters.Add(parameter);
        }

        return command;
    }

    private static T NotNull<T>(T? made)
        where T : class => made
        ?? throw new InvalidOperationException($"The provider factory makes no {typeof(T).Name}.");

    private static PropertyInfo Property(Type type, string name) =>
        type.GetProperty(name) ?? throw new InvalidOperationException(
            $"{type.FullName} has no property {name}: it is not Oracle's driver, or one older than version 23.");
}
